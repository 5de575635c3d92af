import { differing } from "./differing";

test.each([
  ["one that went", "abcd", "abd", "c", ""],
  ["one that came", "abd", "abcd", "", "c"],
  ["one in place of another", "abcd", "abxd", "c", "x"],
  ["two far apart", "abcde", "xbcdy", "abcde", "xbcdy"],
  ["nothing", "abc", "abc", "", ""],
  ["all that there was", "abc", "", "abc", ""],
  ["a repetition", "aa", "a", "a", ""],
  ["all that there is", "", "abc", "", "abc"],
])("%s", (_, before, now, gone, come) => {
  expect(differing([...before], [...now])).toEqual({ before: [...gone], now: [...come] });
});
