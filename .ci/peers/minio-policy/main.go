// Command policy asks MinIO's own policy engine what a policy allows. The policy comes on standard input; each
// argument is a question of four parts: action|bucket|object|prefix, the last two possibly empty. It prints allow or
// deny for each.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/minio/pkg/v3/policy"
)

func main() {
	parsed, err := policy.ParseConfig(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, question := range os.Args[1:] {
		parts := strings.Split(question, "|")
		conditions := map[string][]string{"prefix": {parts[3]}}
		args := policy.Args{
			AccountName:     "drone",
			Action:          policy.Action(parts[0]),
			BucketName:      parts[1],
			ObjectName:      parts[2],
			ConditionValues: conditions,
		}
		if parsed.IsAllowed(args) {
			fmt.Println("allow")
		} else {
			fmt.Println("deny")
		}
	}
}
