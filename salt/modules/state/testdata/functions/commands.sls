plain:
  cmd.run: [{name: "echo out; echo err >&2"}]
fails:
  cmd.run: [{name: "exit 3"}]
success-codes:
  cmd.run: [{name: "exit 3"}, {success_retcodes: [3, 4]}]
success-codes-text:
  cmd.run: [{name: "exit 3"}, {success_retcodes: "2,3"}]
success-stdout:
  cmd.run: [{name: "echo all fine; exit 3"}, {success_stdout: [fine]}]
success-stderr:
  cmd.run: [{name: "echo all fine >&2; exit 3"}, {success_stderr: fine}]
success-not:
  cmd.run: [{name: "echo all fine; exit 3"}, {success_stdout: [bad]}]
hidden:
  cmd.run: [{name: "echo secret; echo more >&2"}, {hide_output: True}]
quiet:
  cmd.run: [{name: "echo out"}, {output_loglevel: quiet}]
environment:
  cmd.run: [{name: 'echo "$A $B $C."'}, {env: [{A: 1}, {B: "two words"}, {C: null}]}]
environment-map:
  cmd.run: [{name: 'echo "$A $B"'}, {env: {A: True, B: 2.5}}]
environment-text:
  cmd.run: [{name: 'echo "$A"'}, {env: "A=1"}]
environment-empty:
  cmd.run: [{name: 'echo "$A"'}, {env: []}]
folder:
  cmd.run: [{name: "cat file"}, {cwd: "@OUT@/keep"}]
folder-none:
  cmd.run: [{name: "cat file"}, {cwd: "@OUT@/none"}]
prepend-path:
  cmd.run: [{name: 'echo "${PATH%%:*}"'}, {prepend_path: "@OUT@"}]
user-none:
  cmd.run: [{name: "true"}, {runas: nobody-here}]
shell:
  cmd.run: [{name: 'echo "$0"'}, {shell: /bin/sh}]
input:
  cmd.run: [{name: cat}, {stdin: "a\nb"}]
mask:
  cmd.run: [{name: umask}, {umask: "077"}]
mask-zero:
  cmd.run: [{name: umask}, {umask: "000"}]
spaces:
  cmd.run: [{name: "printf '  a  \\n\\n'"}]
no-text:
  cmd.run: [{name: "printf 'a\\344\\377z'"}]
spaces-kept:
  cmd.run: [{name: "printf 'a  \\n\\n'"}, {rstrip: False}]
slow:
  cmd.run: [{name: "exec sleep 61"}, {timeout: 1}]
slow-fine:
  cmd.run: [{name: "exec sleep 60"}, {timeout: 1}, {ignore_timeout: True}]
unknown:
  cmd.run: [{name: "echo hello"}, {nonsense: 1}, {user: somebody}]
background:
  cmd.run: [{name: "exit 3"}, {bg: True}]
ignored:
  cmd.run: [{name: "exit 3"}, {ignore_retcode: True}]
stateful-line:
  cmd.run: [{name: "echo working; echo changed=yes comment='it went' size=3"}, {stateful: True}]
stateful-no:
  cmd.run: [{name: "echo changed=no comment=same"}, {stateful: True}]
stateful-json:
  cmd.run: [{name: "echo '{\"changed\": true, \"comment\": \"in JSON\", \"list\": [1]}'"}, {stateful: True}]
stateful-list:
  cmd.run: [{name: "echo '[1]'"}, {stateful: True}]
stateful-odd:
  cmd.run: [{name: "echo nothing of the kind"}, {stateful: True}]
stateful-empty:
  cmd.run: [{name: "true"}, {stateful: True}]
stateful-fails:
  cmd.run: [{name: "echo changed=yes; exit 2"}, {stateful: True}]
stateful-test:
  cmd.run: [{name: "echo changed=yes"}, {stateful: [{test_name: "echo changed=yes comment=tried"}]}]
stateful-test-no:
  cmd.run: [{name: "echo changed=yes"}, {stateful: [{test_name: "echo changed=no comment=tried"}]}]
creates:
  cmd.run: [{name: "false"}, {creates: "@OUT@/same.txt"}]
creates-list:
  cmd.run: [{name: "false"}, {creates: ["@OUT@/same.txt", "@OUT@/kv.conf"]}]
creates-not:
  cmd.run: [{name: "true"}, {creates: ["@OUT@/same.txt", "@OUT@/none"]}]
unless:
  cmd.run: [{name: "false"}, {unless: "true"}]
unless-list:
  cmd.run: [{name: "true"}, {unless: ["true", "false"]}]
unless-user:
  cmd.run: [{name: "false"}, {unless: "echo"}, {cwd: "@OUT@/none"}]
onlyif:
  cmd.run: [{name: "false"}, {onlyif: ["true", "exit 3"]}]
onlyif-true:
  cmd.run: [{name: "true"}, {onlyif: ["true", "test -n \"$A\""]}, {env: [{A: 1}]}]
onlyif-fun:
  cmd.run: [{name: "true"}, {onlyif: [{fun: file.file_exists, path: "@OUT@/same.txt"}]}]
onlyif-fun-not:
  cmd.run: [{name: "true"}, {onlyif: [{fun: file.file_exists, args: ["@OUT@/none"]}]}]
unless-fun:
  cmd.run: [{name: "true"}, {unless: [{fun: file.file_exists, path: "@OUT@/same.txt"}]}]
unless-get:
  cmd.run: [{name: "true"}, {unless: [{fun: test.arg, args: [a], get_return: args}]}]
onlyif-odd:
  cmd.run: [{name: "true"}, {onlyif: [{path: x}]}]
onlyif-number:
  cmd.run: [{name: "true"}, {onlyif: 1}]
both:
  cmd.run: [{name: "true"}, {onlyif: "true"}, {unless: "false"}, {creates: "@OUT@/none"}]
check-cmd:
  cmd.run: [{name: "exit 3"}, {check_cmd: ["true"]}]
check-cmd-bad:
  cmd.run: [{name: "true"}, {check_cmd: ["true", "exit 2"]}]
script:
  cmd.script: [{name: "salt://functions/script.sh"}, {args: "one 'two three'"}]
script-source:
  cmd.script: [{name: "named a b"}, {source: "salt://functions/script.sh"}]
script-words:
  cmd.script: [{name: "salt://functions/script.sh x y"}]
script-template:
  cmd.script: [{source: "salt://functions/script.sh"}, {template: jinja}, {context: {word: said}}, {env: [{E: e}]}]
script-none:
  cmd.script: [{name: "salt://functions/none.sh"}]
script-fails:
  cmd.script: [{source: "salt://functions/script.sh"}, {args: fail}]
script-context:
  cmd.script: [{source: "salt://functions/script.sh"}, {context: odd}]
script-folder:
  cmd.script: [{source: "salt://functions/where.sh"}, {cwd: "@OUT@/keep"}]
script-no-folder:
  cmd.script: [{source: "salt://functions/where.sh"}, {cwd: "@OUT@/none"}]
script-creates:
  cmd.script: [{source: "salt://functions/script.sh"}, {creates: "@OUT@/same.txt"}]
waits:
  cmd.wait: [{name: "echo waited"}, {watch: [{cmd: plain}]}]
waits-not:
  cmd.wait: [{name: "echo waited"}, {watch: [{cmd: creates}]}]
waits-script:
  cmd.wait_script: [{name: "salt://functions/script.sh"}, {watch: [{cmd: plain}]}]
