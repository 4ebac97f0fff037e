include:
  - functions.parts.o*
  - .parts
  - .parts.inner

extend:
  part-init:
    test.nop:
      - require:
        - test: extended-by
      - onlyif: "true"
  part-one:
    test:
      - name: renamed
      - watch:
        - test: changes

changes:
  test.succeed_with_changes
no-changes:
  test.succeed_without_changes
fails:
  test.fail_without_changes
fails-changes:
  test.fail_with_changes
extended-by:
  test.nop

onchanges-any-one:
  test.nop: [{onchanges_any: [{test: changes}, {test: no-changes}]}]
onchanges-any-none:
  test.nop: [{onchanges_any: [{test: no-changes}]}]
onchanges-any-failed:
  test.nop: [{onchanges_any: [{test: changes}, {test: fails}]}]
onchanges-any-failed-only:
  test.nop: [{onchanges_any: [{test: no-changes}, {test: fails}]}]
onchanges-all:
  test.nop: [{onchanges: [{test: changes}, {test: no-changes}]}]
onchanges-none:
  test.nop: [{onchanges: [{test: no-changes}]}]
onchanges-failed:
  test.nop: [{onchanges: [{test: fails-changes}]}]
onchanges-chain:
  test.nop: [{onchanges: [{test: onchanges-none}]}]
require-skipped:
  test.nop: [{require: [{test: onchanges-none}]}]
watch-one:
  test.nop: [{watch: [{test: changes}]}]
watch-none:
  test.nop: [{watch: [{test: no-changes}]}]
watch-changes:
  test.succeed_with_changes: [{watch: [{test: changes}]}]
watch-any:
  test.nop: [{watch_any: [{test: fails}, {test: changes}]}]
watch-any-failed:
  test.nop: [{watch_any: [{test: fails}]}]
watch-cmd:
  cmd.run: [{name: "echo ran"}, {watch: [{test: changes}]}]
watch-file:
  file.managed: [{name: "@OUT@/watched"}, {contents: x}, {watch: [{test: changes}]}]
require-any:
  test.nop: [{require_any: [{test: fails}, {test: no-changes}]}]
require-any-failed:
  test.nop: [{require_any: [{test: fails}]}]
require-failed:
  test.nop: [{require: [{test: fails}]}]
require-failed-chain:
  test.nop: [{require: [{test: require-failed}]}]
require-glob:
  test.nop: [{require: [{test: "no-ch*"}]}]
require-id:
  test.nop: [{require: [no-changes]}]
require-missing:
  test.nop: [{require: [{test: nowhere}, {file: nothing}]}, {onchanges: [{cmd: none}]}]
require-sls:
  test.nop: [{require: [{sls: functions.parts.o*}]}]
onfail-one:
  test.nop: [{onfail: [{test: fails}]}]
onfail-none:
  test.nop: [{onfail: [{test: no-changes}]}]
onfail-two:
  test.nop: [{onfail: [{test: no-changes}, {test: fails}]}]
onfail-any:
  test.nop: [{onfail_any: [{test: no-changes}, {test: fails}]}]
onfail-all:
  test.nop: [{onfail_all: [{test: fails}, {test: fails-changes}]}]
onfail-all-not:
  test.nop: [{onfail_all: [{test: fails}, {test: no-changes}]}]
onfail-require:
  test.nop: [{onfail: [{test: fails}]}, {require: [{test: onfail-one}]}]
prereq-changes:
  test.nop: [{prereq: [{test: prereq-changes-of}]}]
prereq-changes-of:
  test.succeed_with_changes: []
prereq-none:
  test.nop: [{prereq: [{test: prereq-none-of}]}]
prereq-none-of:
  test.succeed_without_changes: []
prereq-fails:
  test.fail_without_changes: [{prereq: [{test: prereq-fails-of}]}]
prereq-fails-of:
  test.succeed_with_changes: []
prereq-in:
  test.succeed_with_changes: [{prereq_in: [{test: prereq-in-of}]}]
prereq-in-of:
  test.nop: []
prereq-file:
  cmd.run: [{name: "cat @OUT@/same.txt"}, {prereq: [{file: prereq-file-of}]}]
prereq-file-of:
  file.managed: [{name: "@OUT@/same.txt"}, {contents: different}]
prereq-file-same:
  cmd.run: [{name: "cat @OUT@/lines.txt"}, {prereq: [{file: prereq-file-same-of}]}]
prereq-file-same-of:
  file.managed: [{name: "@OUT@/lines.txt"}]
listen-one:
  test.nop: [{listen: [{test: changes}]}]
listen-none:
  test.nop: [{listen: [{test: no-changes}]}]
listen-cmd:
  cmd.run: [{name: "echo heard"}, {listen: [{test: changes}]}]
listen-in:
  test.succeed_with_changes: [{listen_in: [{test: listen-in-of}]}]
listen-in-of:
  test.nop: []
listen-missing:
  test.nop: [{listen: [{test: nowhere}]}]
use-from:
  file.managed: [{name: "@OUT@/use-from"}, {contents: used}, {mode: 600}, {makedirs: True}, {require: [{test: no-changes}]}]
use-to:
  file.managed: [{name: "@OUT@/used/to"}, {mode: 640}, {use: [{file: use-from}]}]
use-in:
  file.managed: [{name: "@OUT@/use-in"}, {contents: lent}, {use_in: [{file: use-in-of}]}]
use-in-of:
  file.managed: [{name: "@OUT@/use-in-of"}]
names:
  test.nop: [{names: [first, {second: [{require: [{test: fails}]}]}, {third: [{onlyif: "false"}]}, first]}]
names-file:
  file.managed:
    - names:
      - "@OUT@/n1"
      - "@OUT@/n2": [{contents: two}, {mode: 600}]
      - "@OUT@/n3": [{mode: 604}]
    - contents: all
    - mode: 640
require-names:
  test.nop: [{require: [{test: names}]}]
require-name:
  test.nop: [{require: [{test: first}]}]
order-last:
  test.nop: [{order: last}]
order-first:
  test.nop: [{order: first}]
order-early:
  test.nop: [{order: 1}]
order-minus:
  test.nop: [{order: -1}]
require-in:
  test.nop: [{require_in: [{test: required-in}]}]
required-in:
  test.nop: [{order: 2}]
watch-in:
  test.succeed_with_changes: [{watch_in: [{test: watched-in}, {cmd: watched-cmd}]}]
watched-in:
  test.nop: []
watched-cmd:
  cmd.wait: [{name: "echo seen"}]
onchanges-in:
  test.succeed_with_changes: [{onchanges_in: [{test: changed-in}]}]
changed-in:
  test.nop: []
onfail-in:
  test.fail_without_changes: [{onfail_in: [{test: failed-in}]}]
failed-in:
  test.nop: []
retried:
  test.fail_without_changes: [{retry: {attempts: 2, interval: 0}}]
no-function:
  nomod.nofun: []
skip-watch:
  cmd.run: [{name: "echo skipped"}, {onlyif: "false"}, {watch: [{test: changes}]}]
several:
  test.nop: []
  cmd.run: [{name: "echo several"}]
  file.exists: [{name: "@OUT@/lines.txt"}]
