// Stands in for Kubernetes' pause image: holds a pod's namespaces until it gets a signal, and reaps orphaned processes.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for {
			if id, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); id <= 0 || err != nil {
				break
			}
		}
	}
}
