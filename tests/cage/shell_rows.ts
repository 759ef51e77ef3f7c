// What the shell does, row by row: the expected values are those of bash 5.2, GNU coreutils 9.1, grep 3.8, sed 4.9, mawk 1.3, findutils
// 4.9, diffutils 3.8 and jq 1.6, run once with these scripts in a folder with these files. Only bash's `line 1: ` is left out of messages.

export interface Row {
  name: string;
  script: string;
  stdin?: string;
  files?: Record<string, string>;
  stdout: string | Uint8Array;
  stderr?: string;
  code?: number;
}

/** A text of which each character is one byte. */
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

export const ROWS: Row[] = [
  {
    name: "cd",
    script:
      "mkdir -p d/e; cd d/e && pwd | sed 's#.*/d/#d/#'; cd ..; basename \"$PWD\"; cd - >/dev/null; basename \"$PWD\"",
    stdout: "d/e\nd\ne\n",
  },
  {
    name: "cd to a missing folder",
    script:
      "cd nowhere; echo $?",
    stdout: "1\n",
    stderr: "bash: cd: nowhere: No such file or directory\n",
  },
  {
    name: "cd in a subshell",
    script:
      "mkdir d; (cd d; basename \"$PWD\"); basename \"$PWD\" | wc -l; [ -d d ] && echo still",
    stdout: "d\n1\nstill\n",
  },
  {
    name: "ls",
    script:
      "ls; ls -1 d; ls -a d; ls -d d; ls missing; echo $?",
    files: {"b.txt":"b","a.txt":"a","d/.h":"","d/x":"x"},
    stdout: "a.txt\nb.txt\nd\nx\n.\n..\n.h\nx\nd\n2\n",
    stderr: "ls: cannot access 'missing': No such file or directory\n",
  },
  {
    name: "ls -R and -l size",
    script:
      "ls -R; ls -l a.txt | awk '{print $1, $5, $9}'",
    files: {"a.txt":"abc","d/x":"x"},
    stdout: ".:\na.txt\nd\n\n./d:\nx\n-rw-r--r-- 3 a.txt\n",
  },
  {
    name: "cat",
    script:
      "cat a b; cat -n a; echo in | cat a -; cat missing; echo $?",
    files: {"a":"1\n2\n","b":"3\n"},
    stdout: "1\n2\n3\n     1\t1\n     2\t2\n1\n2\nin\n1\n",
    stderr: "cat: missing: No such file or directory\n",
  },
  {
    name: "cat stdin",
    script:
      "cat; echo end",
    stdin: "from stdin\n",
    stdout: "from stdin\nend\n",
  },
  {
    name: "echo",
    script:
      "echo a  b; echo -n x; echo -e 'a\\tb'; echo 'a\\tb'; echo \"$HOME_X\" end; echo",
    stdout: "a b\nxa\tb\na\\tb\n end\n\n",
  },
  {
    name: "printf",
    script:
      "printf '%s-%d|%5.2f|%x|%05d|%-4s|\\n' a 7 3.14159 255 42 z; printf '%s\\n' a b c; printf 'no newline'; " +
      "printf '%b' 'x\\ny\\n'; printf '%q\\n' \"a b\"; printf '%%\\n'",
    stdout: "a-7| 3.14|ff|00042|z   |\na\nb\nc\nno newlinex\ny\na\\ b\n%\n",
  },
  {
    name: "cp",
    script:
      "cp a b; cat b; mkdir d; cp a b d; ls d; cp -r d e; ls e; cp missing x; echo $?; cp d f; echo $?",
    files: {"a":"A\n"},
    stdout: "A\na\nb\na\nb\n1\n1\n",
    stderr: "cp: cannot stat 'missing': No such file or directory\ncp: -r not specified; omitting directory 'd'\n",
  },
  {
    name: "mv",
    script:
      "mv a b; ls; mkdir d; mv b d; ls d; mv d e; ls e; mv missing x; echo $?",
    files: {"a":"A\n"},
    stdout: "b\nb\nb\n1\n",
    stderr: "mv: cannot stat 'missing': No such file or directory\n",
  },
  {
    name: "rm",
    script:
      "rm a; ls; rm missing; echo $?; rm -f missing; echo $?; rm d; echo $?; rm -r d; ls; rm -rf nothing; echo $?",
    files: {"a":"","b":"","d/x":""},
    stdout: "b\nd\n1\n0\n1\nb\n0\n",
    stderr: "rm: cannot remove 'missing': No such file or directory\nrm: cannot remove 'd': Is a directory\n",
  },
  {
    name: "mkdir",
    script:
      "mkdir d; mkdir d; echo $?; mkdir -p d/e/f; ls d/e; mkdir x/y; echo $?; rmdir d/e/f; ls d/e",
    stdout: "1\nf\n1\n",
    stderr: "mkdir: cannot create directory 'd': File exists\nmkdir: cannot create directory 'x/y': No such file or directory\n",
  },
  {
    name: "touch",
    script:
      "touch a b; ls; touch -c c; ls; echo x > a; touch a; cat a",
    stdout: "a\nb\na\nb\nx\n",
  },
  {
    name: "head",
    script:
      "head -n 2 f; head -1 f; head -c 3 f; echo; seq 20 | head | wc -l; head -n -3 f; head -q -n1 f f",
    files: {"f":"1\n2\n3\n4\n5\n"},
    stdout: "1\n2\n1\n1\n2\n10\n1\n2\n1\n1\n",
  },
  {
    name: "tail",
    script:
      "tail -n 2 f; tail -1 f; tail -n +4 f; tail -c 4 f; seq 20 | tail | head -1",
    files: {"f":"1\n2\n3\n4\n5\n"},
    stdout: "4\n5\n5\n4\n5\n4\n5\n11\n",
  },
  {
    name: "wc",
    script:
      "wc f; wc -l < f; wc -w f; wc -c f; printf 'é' | wc -m; printf 'é' | wc -c; printf 'no newline' | wc -l",
    files: {"f":"one two\nthree\n","g":"x\n"},
    stdout: " 2  3 14 f\n2\n3 f\n14 f\n1\n2\n0\n",
  },
  {
    name: "grep",
    script:
      "grep an f; grep -n a f; grep -v a f; grep -c a f; grep -i APPLE f; grep -o 'an' f; grep -E '^(a|b)' f; " +
      "grep -F . f; echo $?; grep -q apple f && echo yes; grep zzz f; echo $?; grep -w an f; echo $?; " +
      "grep x missing; echo $?",
    files: {"f":"apple\nbanana\nCherry\n"},
    stdout: "banana\n1:apple\n2:banana\nCherry\n2\napple\nan\nan\napple\nbanana\n1\nyes\n1\n1\n2\n",
    stderr: "grep: missing: No such file or directory\n",
  },
  {
    name: "grep files",
    script:
      "grep -r needle . | sort; grep -rl needle d | sort; grep -l needle d/a d/b; " +
      "grep -rn --include='*.py' needle . ; grep -A1 -B1 two f; grep -h x d/a f; grep -m1 -n o f",
    files: {"d/a":"needle x\n","d/b.py":"hay\nneedle\n","f":"one\ntwo\nthree\n"},
    stdout: "./d/a:needle x\n./d/b.py:needle\nd/a\nd/b.py\nd/a\n./d/b.py:2:needle\none\ntwo\nthree\nneedle x\n1:one\n",
    stderr: "grep: d/b: No such file or directory\n",
  },
  {
    name: "grep patterns",
    script:
      "echo 'a1b22' | grep -oE '[0-9]+'; echo 'foo.bar' | grep -oP '\\w+\\.'; printf 'a\\nb\\n' | grep -e a -e b; " +
      "echo abc | grep -c .; echo 'tab\there' | grep '[[:space:]]'; echo aa | grep 'a\\{2\\}'",
    stdout: "1\n22\nfoo.\na\nb\n1\ntab\there\naa\n",
  },
  {
    name: "sed",
    script:
      "sed 's/a/X/' f; sed 's/a/X/g' f; sed -n 2p f; sed 2d f; sed '/banana/d' f; " +
      "sed -n '/apple/,/cherry/p' f | wc -l; sed -e 1d -e s/r/R/ f; sed -E 's/(a)(p)/\\2\\1/' f; " +
      "sed '1i top' f | head -1; sed '$a end' f | tail -1; sed 's#a#/#;s/x/y/' f; sed 's/APPLE/pear/I' f; " +
      "sed -n '$=' f; sed '2s/.*/[&]/' f; sed y/abc/xyz/ f",
    files: {"f":"apple\nbanana\ncherry\n"},
    stdout: "Xpple\nbXnana\ncherry\nXpple\nbXnXnX\ncherry\nbanana\napple\ncherry\napple\ncherry\n3\nbanana\ncheRry\npaple\nbanana\ncherry\ntop\nend\n/pple\nb/nana\ncherry\npear\nbanana\ncherry\n3\napple\n[banana]\ncherry\nxpple\nyxnxnx\nzherry\n",
  },
  {
    name: "sed -i",
    script:
      "sed -i 's/a/b/g' f; cat f; sed -i.bak '1d' f; cat f f.bak",
    files: {"f":"aa\nca\n"},
    stdout: "bb\ncb\ncb\nbb\ncb\n",
  },
  {
    name: "sed loops",
    script:
      "printf 'a\\nb\\nc\\n' | sed ':x;N;$!bx;s/\\n/,/g'; printf 'k=v\\n' | sed 's/\\(.*\\)=\\(.*\\)/\\2=\\1/'",
    stdout: "a,b,c\nv=k\n",
  },
  {
    name: "awk",
    script:
      "awk '{print $2}' f; awk -F, '{print $1}' g; awk '{s+=$2} END {print s, NR}' f; awk 'NR==2' f; " +
      "awk '/b/{print NF}' f; awk -v x=5 'BEGIN{print x*2; printf \"%.2f|%5s|\\n\", 3.14159, \"a\"}'; " +
      "awk '{a[$1]+=$2} END{for(k in a) print k, a[k]}' f | sort; awk 'BEGIN{while(i<3){i++; printf i \" \"}; " +
      "print \"\"}'; awk '{print length($1), toupper($1), substr($1,1,1)}' f; awk 'BEGIN{n=split(\"a-b-c\",p,\"-\"); " +
      "print n, p[3]}'; echo 'a b' | awk '{$1=\"x\"; print; gsub(/x/,\"yy\"); print}'; awk '$2>1 && $1!=\"c\"' f",
    files: {"f":"a 1\nb 2\nc 3\nb 4\n","g":"x,1\ny,2\n"},
    stdout: "1\n2\n3\n4\nx\ny\n10 4\nb 2\n2\n2\n10\n3.14|    a|\na 1\nb 6\nc 3\n1 2 3 \n1 A a\n1 B b\n1 C c\n1 B b\n3 c\nx b\nyy b\nb 2\nb 4\n",
  },
  {
    name: "awk more",
    script:
      "awk 'BEGIN{OFS=\"-\"} {print $1,$2}' f; awk 'END{print $0}' f; awk '{if($2%2) print $1; else print \"-\"}' f; " +
      "awk 'function f(x){return x*x} BEGIN{print f(4)}'; awk 'match($0,/[0-9]+/){print RSTART, RLENGTH}' f; " +
      "awk '{print > (\"out_\" $1)}' f; cat out_a; awk 'BEGIN{print index(\"hello\",\"l\"); print sprintf(\"%03d\",7); " +
      "exit 3}'; echo $?; awk 'BEGIN { \"echo hi\" | getline x; print x }'",
    files: {"f":"a 1\nb 2\n"},
    stdout: "a-1\nb-2\nb 2\na\n-\n16\n3 1\n3 1\na 1\n3\n007\n3\nhi\n",
  },
  {
    name: "find",
    script:
      "find . -type f | sort; find . -name '*.py' | sort; find d -type d | sort; find . -maxdepth 1 -type f | sort; " +
      "find . -name '*.txt' -exec cat {} \\; ; find . -empty -type f | sort; " +
      "find . -type f -not -name '*.py' | sort; find missing 2>/dev/null; echo $?; find . -path './d/*' -name a.py; " +
      "find . -iname 'A.PY'; find . -type f -name '*.py' -delete; ls d",
    files: {"a.txt":"A\n","d/a.py":"p\n","d/e/b.py":"","z":""},
    stdout: "./a.txt\n./d/a.py\n./d/e/b.py\n./z\n./d/a.py\n./d/e/b.py\nd\nd/e\n./a.txt\n./z\nA\n./d/e/b.py\n./z\n./a.txt\n./z\n1\n./d/a.py\n./d/a.py\ne\n",
  },
  {
    name: "find -print0 | xargs -0",
    script:
      "find . -type f -print0 | xargs -0 -n1 echo | sort; find . -name '*.txt' -exec echo {} + ; find . -size +1k",
    files: {"a b.txt":"x","c.txt":"yy"},
    stdout: "./a b.txt\n./c.txt\n./a b.txt ./c.txt\n.\n",
  },
  {
    name: "xargs",
    script:
      "seq 5 | xargs; seq 5 | xargs -n 2 echo; printf 'a\\nb\\n' | xargs -I{} echo '[{}]'; echo 'a b' | xargs -n1; " +
      "printf '' | xargs echo none; printf '' | xargs -r echo none; echo 'x' | xargs false; echo $?; " +
      "printf '%s\\n' \"it's\" | xargs -d '\\n' echo",
    stdout: "1 2 3 4 5\n1 2\n3 4\n5\n[a]\n[b]\na\nb\nnone\n123\nit's\n",
  },
  {
    name: "sort",
    script:
      "sort f; sort -r f; sort -n g; sort -u f; sort -k2 -n h; sort -t, -k2,2nr i; sort -rn g | head -1; " +
      "printf 'b\\na\\n' | sort -o o; cat o; printf '1.10\\n1.9\\n' | sort -V; sort -c g; echo $?",
    files: {"f":"b\na\nc\na\n","g":"10\n9\n100\n","h":"x 2\ny 1\n","i":"a,1\nb,3\nc,2\n"},
    stdout: "a\na\nb\nc\nc\nb\na\na\n9\n10\n100\na\nb\nc\ny 1\nx 2\nb,3\nc,2\na,1\n100\na\nb\n1.9\n1.10\n1\n",
    stderr: "sort: g:3: disorder: 100\n",
  },
  {
    name: "uniq",
    script:
      "uniq f; uniq -c f; uniq -d f; uniq -u f; sort f | uniq -c | sort -rn | head -1; uniq -i f",
    files: {"f":"a\na\nb\na\nA\n"},
    stdout: "a\nb\na\nA\n      2 a\n      1 b\n      1 a\n      1 A\na\nb\na\nA\n      3 a\na\nb\na\n",
  },
  {
    name: "cut",
    script:
      "cut -d, -f2 f; cut -d, -f1,3 f; cut -c1-3 f; cut -d, -f2- f; echo 'a b c' | cut -d' ' -f3; cut -b2 f; " +
      "echo nodelim | cut -d: -f1; echo nodelim | cut -d: -f1 -s",
    files: {"f":"aa,bb,cc\ndd,ee,ff\n"},
    stdout: "bb\nee\naa,cc\ndd,ff\naa,\ndd,\nbb,cc\nee,ff\nc\na\nd\nnodelim\n",
  },
  {
    name: "tr",
    script:
      "echo hello | tr a-z A-Z; echo hello | tr -d l; echo aabb | tr -s a; echo 'a b' | tr ' ' '\\n'; " +
      "echo abc | tr -cd 'ab\\n'; echo 'x1y2' | tr -d '[:digit:]'; echo hello | tr 'el' 'ip'; " +
      "echo abc | tr '[:lower:]' '[:upper:]'",
    stdout: "HELLO\nheo\nabb\na\nb\nab\nxy\nhippo\nABC\n",
  },
  {
    name: "diff",
    script:
      "diff a b; echo $?; diff a a; echo $?; diff -u a b | tail -n +3; diff -q a b; diff a missing; echo $?; " +
      "diff -r d e; echo $?",
    files: {"a":"1\n2\n3\n","b":"1\nX\n3\n4\n","d/f":"1\n","e/f":"2\n"},
    stdout: "2c2\n< 2\n---\n> X\n3a4\n> 4\n1\n0\n@@ -1,3 +1,4 @@\n 1\n-2\n+X\n 3\n+4\nFiles a and b differ\n2\ndiff -r d/f e/f\n1c1\n< 1\n---\n> 2\n1\n",
    stderr: "diff: missing: No such file or directory\n",
  },
  {
    name: "tee",
    script:
      "echo x | tee a; cat a; echo y | tee -a a >/dev/null; cat a; echo z | tee b c; cat b c",
    stdout: "x\nx\nx\ny\nz\nz\nz\n",
  },
  {
    name: "env",
    script:
      "A=1 env | grep ^A=; export B=2; env | grep ^B=; x=5; env | grep ^x=; echo $?; env C=3 printenv C; " +
      "env -i D=4 printenv D; printenv NOPE; echo $?; env -u B printenv B; echo $?",
    stdout: "A=1\nB=2\n1\n3\n4\n1\n1\n",
  },
  {
    name: "test",
    script:
      "[ 1 -lt 2 ] && echo lt; [ a = b ] || echo ne; test -f f && echo f; [ -d f ] || echo nd; [ -z '' ] && echo z; " +
      "[ -n x ] && echo n; [[ abc == a* ]] && echo glob; [[ abc =~ ^a(b)c$ ]] && echo ${BASH_REMATCH[1]}; [ -s f ]; " +
      "echo $?; [ ! -e nope ] && echo none; [ 1 -eq 1 -a 2 -eq 2 ] && echo and; test; echo $?; [ -x f ]; echo $?; " +
      "[ f -nt nope ] && echo newer",
    files: {"f":""},
    stdout: "lt\nne\nf\nnd\nz\nn\nglob\nb\n1\nnone\nand\n1\n1\nnewer\n",
  },
  {
    name: "true and false",
    script:
      "true; echo $?; false; echo $?; ! true; echo $?; :; echo $?",
    stdout: "0\n1\n1\n0\n",
  },
  {
    name: "sleep",
    script:
      "sleep 0.05; echo $?",
    stdout: "0\n",
  },
  {
    name: "seq",
    script:
      "seq 3; seq 2 4; seq 1 2 6; seq -s, 3; seq 3 -1 1; seq -w 8 10; seq 0.5 0.5 1.5",
    stdout: "1\n2\n3\n2\n3\n4\n1\n3\n5\n1,2,3\n3\n2\n1\n08\n09\n10\n0.5\n1.0\n1.5\n",
  },
  {
    name: "date",
    script:
      "date -u -d @0 +%Y-%m-%dT%H:%M:%S; date -u -d '2024-02-29 12:00' +%s; date -u -d @86400 '+%a %b %e %j %U'; " +
      "date -u -d '2024-01-31' +%F; date +%Y | wc -c; TZ=UTC date -d @0 +%Z",
    stdout: "1970-01-01T00:00:00\n1709208000\nFri Jan  2 002 00\n2024-01-31\n5\nUTC\n",
  },
  {
    name: "base64",
    script:
      "printf 'hello' | base64; printf 'aGVsbG8=' | base64 -d; echo; printf '\\377\\000\\001' | base64; " +
      "printf '/wAB' | base64 -d | base64; base64 -w 10 f; base64 f",
    files: {"f":"The quick brown fox jumps over the lazy dog and keeps running on and on, further than 76 columns.\n"},
    stdout: "aGVsbG8=\nhello\n/wAB\n/wAB\nVGhlIHF1aW\nNrIGJyb3du\nIGZveCBqdW\n1wcyBvdmVy\nIHRoZSBsYX\np5IGRvZyBh\nbmQga2VlcH\nMgcnVubmlu\nZyBvbiBhbm\nQgb24sIGZ1\ncnRoZXIgdG\nhhbiA3NiBj\nb2x1bW5zLg\no=\nVGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQga2VlcHMgcnVu\nbmluZyBvbiBhbmQgb24sIGZ1cnRoZXIgdGhhbiA3NiBjb2x1bW5zLgo=\n",
  },
  {
    name: "sha256sum",
    script:
      "printf abc | sha256sum; sha256sum f; sha256sum f > s; sha256sum -c s; printf abc | md5sum; " +
      "printf abc | sha1sum",
    files: {"f":"hello\n"},
    stdout: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  f\nf: OK\n900150983cd24fb0d6963f7d28e17f72  -\na9993e364706816aba3e25717850c26c9cd0d89d  -\n",
  },
  {
    name: "jq",
    script:
      "jq . f; jq -r .name f; jq -c '.list[]' f; jq '.list | length' f; jq -r '.list[] | select(.>1)' f; " +
      "echo '{\"a\":{\"b\":[1,{\"c\":2}]}}' | jq -c '.a.b[1].c, (.a|keys)'; jq -n '{a:1}' -c; jq -c 'to_entries' f; " +
      "jq -s -c '.' f; jq '.nope' f; jq -e .nope f; echo $?; echo '[3,1,2]' | jq -c 'sort, map(.*2), add'; " +
      "jq -r '.list|@csv' f; jq --arg v x -n -r '$v'; echo '\"a\"' | jq -r 'ascii_upcase + \"!\"'",
    files: {"f":"{\"name\":\"n\",\"list\":[1,2,3]}\n"},
    stdout: "{\n  \"name\": \"n\",\n  \"list\": [\n    1,\n    2,\n    3\n  ]\n}\nn\n1\n2\n3\n3\n2\n3\n2\n[\"b\"]\n{\"a\":1}\n[{\"key\":\"name\",\"value\":\"n\"},{\"key\":\"list\",\"value\":[1,2,3]}]\n[{\"name\":\"n\",\"list\":[1,2,3]}]\nnull\nnull\n1\n[1,2,3]\n[6,2,4]\n6\n1,2,3\nx\nA!\n",
  },
  {
    name: "pipes",
    script:
      "echo a | cat | cat; seq 100 | grep 5 | sort -rn | head -2; false | true; echo $?; true | false; echo $?; " +
      "set -o pipefail; false | true; echo $?; echo ${PIPESTATUS[0]}; echo x | { read v; echo \"got $v\"; }; " +
      "echo err >&2 | cat",
    stdout: "a\n95\n85\n0\n1\n1\n0\ngot x\n",
    stderr: "err\n",
  },
  {
    name: "redirects",
    script:
      "echo a > f; echo b >> f; cat < f; echo e >&2; ls missing 2> err; wc -l < err; ls missing > all 2>&1; " +
      "wc -l < all; { echo o; echo e >&2; } 2>/dev/null; echo both &> bf; cat bf; cat <<< here; echo x > nodir/f; " +
      "echo $?; cat < nofile; echo $?; > empty; wc -c < empty; echo 1 > a; echo 2 >| a; cat a",
    stdout: "a\nb\n1\n1\no\nboth\nhere\n1\n1\n0\n2\n",
    stderr: "e\nbash: nodir/f: No such file or directory\nbash: nofile: No such file or directory\n",
  },
  {
    name: "stderr joined in order",
    script:
      "{ echo 1; echo 2 >&2; echo 3; } 2>&1; ( echo a; ls missing; echo b ) > f 2>&1; cat f; for i in 1 2; " +
      "do echo $i; echo e$i >&2; done 2>&1 | cat; if true; then echo o; echo e >&2; echo p; fi 2>&1",
    stdout: "1\n2\n3\na\nls: cannot access 'missing': No such file or directory\nb\n1\ne1\n2\ne2\no\ne\np\n",
  },
  {
    name: "here-documents",
    script:
      "cat <<EOF\nhello $USER_X ${x:-d} $(echo sub) \\$no `echo bt`\n  indented\nEOF\ncat <<'EOF'\n$raw `x`\nEOF\ncat <<-EOF\n\ttabs\n\tgone\n\tEOF\nwc -l <<EOF\n1\n2\nEOF\ncat <<A; cat <<B\na\nA\nb\nB\n",
    stdout: "hello  d sub $no bt\n  indented\n$raw `x`\ntabs\ngone\n2\na\nb\n",
  },
  {
    name: "and, or, then",
    script:
      "true && echo a; false && echo b; false || echo c; true || echo d; false && echo e || echo f; echo g; " +
      "{ false; echo h; } && echo i",
    stdout: "a\nc\nf\ng\nh\ni\n",
  },
  {
    name: "subshells",
    script:
      "x=1; (x=2; echo $x); echo $x; (exit 3); echo $?; (cd /; pwd); y=$(x=9; echo $x); echo $y $x; " +
      "( false || exit 4 ); echo $?",
    stdout: "2\n1\n3\n/\n9 1\n4\n",
  },
  {
    name: "loops",
    script:
      "for i in a b 'c d'; do echo \"<$i>\"; done; for f in *.txt; do echo $f; done; i=0; while [ $i -lt 3 ]; " +
      "do i=$((i+1)); [ $i = 2 ] && continue; echo $i; done; until [ $i = 0 ]; do i=$((i-1)); done; echo $i; " +
      "for ((j=0;j<2;j++)); do echo j$j; done; while read -r a b; do echo \"$b-$a\"; done < t.txt; for i in 1 2 3; " +
      "do [ $i = 2 ] && break; echo $i; done; seq 3 | while read n; do echo n$n; done; for x; do echo; done; " +
      "for i in {1..3}; do printf $i; done; echo",
    files: {"t.txt":"1 one\n2 two\n","u.txt":""},
    stdout: "<a>\n<b>\n<c d>\nt.txt\nu.txt\n1\n3\n0\nj0\nj1\none-1\ntwo-2\n1\nn1\nn2\nn3\n123\n",
  },
  {
    name: "long loop",
    script:
      "s=0; for ((i=0;i<20000;i++)); do ((s+=i)); done; echo $s",
    stdout: "199990000\n",
  },
  {
    name: "functions",
    script:
      "f() { echo \"f:$1 $#\"; return 3; }; f a b; echo $?; function g { local x=in; echo $x; }; x=out; g; echo $x; " +
      "fact() { if [ $1 -le 1 ]; then echo 1; else echo $(( $1 * $(fact $(($1-1))) )); fi; }; fact 6; f x | cat; " +
      "h() { echo o; echo e >&2; }; h 2>/dev/null; k() { echo \"$@\"; }; k 'a b' c; shift_it() { shift; echo $1; }; " +
      "shift_it 1 2",
    stdout: "f:a 2\n3\nin\nout\n720\nf:x 1\no\na b c\n2\n",
  },
  {
    name: "recursion",
    script:
      "f() { if [ $1 -gt 0 ]; then f $(($1-1)); else echo end; fi; }; f 150",
    stdout: "end\n",
  },
  {
    name: "exit codes",
    script:
      "sh -c 'exit 3'; echo $?; nosuchcmd; echo $?; ./nofile; echo $?; bash -c 'exit 300'; echo $?; exit 5",
    stdout: "3\n127\n127\n44\n",
    stderr: "bash: nosuchcmd: command not found\nbash: ./nofile: No such file or directory\n",
    code: 5,
  },
  {
    name: "set -e",
    script:
      "set -e; echo a; if false; then :; fi; false || true; echo b; false; echo never",
    stdout: "a\nb\n",
    code: 1,
  },
  {
    name: "set -u and pipefail",
    script:
      "set -uo pipefail; echo ${x:-ok}; (echo $undefined_x) 2>/dev/null; echo after $?",
    stdout: "ok\nafter 1\n",
  },
  {
    name: "variables",
    script:
      "a=1 b='x y'; " +
      "echo $a \"$b\" $b ${a}2 ${#b} ${b% *} ${b#* } ${b/x/z} ${b^^} ${c:-def} ${c:=set} $c ${b:2} ${b:0:1}; " +
      "VAR=tmp sh -c 'echo $VAR'; echo [$VAR]; unset a; echo [$a]; readonly r=1; x=5; x+=6; echo $x; export E=e; " +
      "sh -c 'echo $E'; p=/a/b/c.tar.gz; echo ${p##*/} ${p%%.*} ${p%.*}; arr=(a b c); " +
      "echo ${arr[1]} ${#arr[@]} \"${arr[@]}\"; arr+=(d); echo ${arr[-1]}; declare -A m; m[k]=v; " +
      "echo ${m[k]} ${!m[@]}",
    stdout: "1 x y x y 12 3 x y z y X Y def set set y x\ntmp\n[]\n[]\n56\ne\nc.tar.gz /a/b/c /a/b/c.tar\nb 3 a b c\nd\nv k\n",
  },
  {
    name: "arithmetic",
    script:
      "v=4; n() { echo $v; }; echo $(( $(echo $v) + $(n) )); (( v = $(n) * 2 )); echo $v; " +
      "echo $((1+2*3)) $((7/2)) $((7%3)) $((2**10)) $((1<2)) $((x=4, x+1)) $((0x1f)) $((5>3?1:0)); ((y=5)); " +
      "echo $y; ((0)); echo $?; let z=3+4; echo $z; i=5; echo $((i++)) $i $((++i)); expr 3 + 4; expr 10 / 3",
    stdout: "8\n8\n7 3 1 1024 1 5 31 1\n5\n1\n7\n5 6 7\n7\n3\n",
  },
  {
    name: "quoting",
    script:
      "echo 'single $x' \"double $((1+1))\" mixed\"a b\"'c d'; echo \"a\\\"b\" 'it'\\''s' \\$x a\\ b; " +
      "echo \"$(echo \"nested \"\"quotes\"\"\")\"; echo $'tab\\there'; x='a  b'; echo $x; echo \"$x\"; echo \"`echo bt`\"; " +
      "printf '<%s>' \"$@\" ''; echo; echo \"*\" '*'",
    stdout: "single $x double 2 mixeda bc d\na\"b it's $x a b\nnested quotes\ntab\there\na b\na  b\nbt\n<>\n* *\n",
  },
  {
    name: "globs",
    script:
      "echo *.txt; echo ?.txt; echo [ab].txt; echo d/*; echo *.none; ls *.py 2>/dev/null; echo $?; echo .h*; " +
      "shopt -s nullglob; echo *.none end; echo {a,b}.txt {x,y}{1,2}",
    files: {"a.txt":"","b.txt":"","cc.txt":"","d/x":"","d/y":"",".hid":""},
    stdout: "a.txt b.txt cc.txt\na.txt b.txt\na.txt b.txt\nd/x d/y\n*.none\n2\n.hid\nend\na.txt b.txt x1 x2 y1 y2\n",
  },
  {
    name: "substitution",
    script:
      "echo $(echo a; echo b); x=$(false); echo $?; echo \"$(printf 'a\\n\\n')|\"; echo $(cat f | wc -l); " +
      "diff <(echo a) <(echo a) && echo same; cat <(echo p); echo $(<f)",
    files: {"f":"1\n2\n"},
    stdout: "a b\n1\na|\n2\nsame\np\n1 2\n",
  },
  {
    name: "case and if",
    script:
      "for x in a.py b.txt c; do case $x in *.py) echo py;; *.txt|*.md) echo text;; *) echo other;; esac; done; " +
      "if [ 1 = 2 ]; then echo a; elif [ 1 = 1 ]; then echo b; else echo c; fi",
    stdout: "py\ntext\nother\nb\n",
  },
  {
    name: "scripts",
    script:
      "cat > s.sh <<'EOF'\n#!/bin/bash\necho \"$1 $# $@\"\nexit 7\nEOF\nbash s.sh a b; echo $?; chmod +x s.sh; ./s.sh x; echo $?; sh s.sh; . ./t.sh; echo $T; source t.sh; eval 'echo ev$T'; bash -c 'echo $0 $1' zero one; echo 'echo piped' | bash",
    files: {"t.sh":"T=sourced\n"},
    stdout: "a 2 a b\n7\nx 1 x\n7\n 0 \nsourced\nevsourced\nzero one\npiped\n",
  },
  {
    name: "background",
    script:
      "echo a & wait; echo b; sleep 0.01 & wait $!; echo $?",
    stdout: "a\nb\n0\n",
  },
  {
    name: "bytes",
    script:
      "printf '\\377\\376\\000a' > f; wc -c < f; cat f f | wc -c; cat f | base64; cp f g; " +
      "cmp_=$(sha256sum < f | cut -c1-8); echo $cmp_; head -c 2 f | base64; cat f | tee h | wc -c; wc -c < h; " +
      "printf '\\351'; tail -c 2 f | base64",
    stdout: bytes("4\n8\n//4AYQ==\n5f210d5e\n//4=\n4\n4\n\xe9AGE=\n"),
  },
  {
    name: "utf-8",
    script:
      "echo 'żółć 😀' | wc -m; echo 'ŻÓŁĆ' | sed 's/Ó/o/'; echo é > é.txt; ls; cat é.txt; " +
      "echo 'naïve' | grep -o 'ï'; printf '%s\\n' ü | sort; true",
    stdout: "7\nŻoŁĆ\né.txt\né\nï\nü\n",
  },
  {
    name: "stdin to commands",
    script:
      "read a; read b; echo \"$b $a\"; cat",
    stdin: "one\ntwo\nrest\n",
    stdout: "two one\nrest\n",
  },
  {
    name: "getopts and shift",
    script:
      "set -- -a -b val rest; while getopts ab: o; do echo $o $OPTARG; done; shift $((OPTIND-1)); echo $1; " +
      "set -- 1 2 3; echo $# $2 $*; shift 2; echo $1",
    stdout: "a\nb val\nrest\n3 2 1 2 3\n3\n",
  },
  {
    name: "trap",
    script:
      "trap 'echo bye' EXIT; echo working; exit 2",
    stdout: "working\nbye\n",
    code: 2,
  },
  {
    name: "other tools",
    script:
      "basename /a/b.txt .txt; dirname /a/b.txt; printf 'c\\nb\\n' | tac; printf 'abc\\n' | rev; " +
      "printf 'a\\nb\\n' | nl | tr -d ' \\t'; printf '1\\n2\\n' | paste -sd+; printf 'a\\tb\\n' | expand -t4; " +
      "printf 'x y\\n' | fold -w1 | head -2; which ls | sed 's#.*/##'; readlink -f a | sed 's#.*/##'; ln -s a l; " +
      "cat l; stat -c %s a; yes_=$(type cd); echo $yes_; command -v jq | sed 's#.*/##'; realpath . | wc -l; " +
      "t=$(mktemp); [ -f $t ] && echo made; rm $t; comm -12 s1 s2; join s1 s2; file_=$(timeout 5 echo t); " +
      "echo $file_; hash_=$(expr length hello); echo $hash_; split -l1 s1 part_; ls part_*",
    files: {"a":"AA\n","s1":"a\nb\n","s2":"b\nc\n"},
    stdout: "b\n/a\nb\nc\ncba\n1a\n2b\n1+2\na   b\nx\n \nls\na\nAA\n3\ncd is a shell builtin\njq\n1\nmade\nb\nb\nt\n5\npart_aa\npart_ab\n",
  },
];
