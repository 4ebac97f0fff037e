contents-new:
  file.managed: [{name: "@OUT@/new.txt"}, {contents: "one\ntwo"}, {mode: 640}]
contents-same:
  file.managed: [{name: "@OUT@/new.txt"}, {contents: [one, two]}, {mode: "0640"}]
contents-mode:
  file.managed: [{name: "@OUT@/new.txt"}, {mode: 600}, {replace: False}]
contents-hidden:
  file.managed: [{name: "@OUT@/new.txt"}, {contents: three}, {show_changes: False}, {contents_newline: False}]
contents-empty:
  file.managed: [{name: "@OUT@/e1"}, {contents: ""}, {allow_empty: False}]
contents-empty-list:
  file.managed: [{name: "@OUT@/e2"}, {contents: []}]
contents-number:
  file.managed: [{name: "@OUT@/e3"}, {contents: 5}]
contents-false:
  file.managed: [{name: "@OUT@/e5"}, {contents: False}]
contents-null:
  file.managed: [{name: "@OUT@/e6"}, {contents: null}]
contents-mixed:
  file.managed: [{name: "@OUT@/e7"}, {contents: [1, true, null, "a\r\nb"]}]
contents-source:
  file.managed: [{name: "@OUT@/e8"}, {contents: x}, {source: "@OUT@/same.txt"}]
contents-keep:
  file.managed: [{name: "@OUT@/e8"}, {contents: x}, {mode: keep}]
contents-two:
  file.managed: [{name: "@OUT@/e8"}, {contents: x}, {contents_pillar: y}]
contents-template:
  file.managed: [{name: "@OUT@/e9"}, {contents: "{% raw %}{{ a }} {{ b }}{% endraw %}"}, {template: jinja}, {context: {a: 1}}, {defaults: {a: 0, b: 2}}]
file-mode:
  file.managed: [{name: "@OUT@/e10"}, {contents: x}, {file_mode: 600}]
pillar-text:
  file.managed: [{name: "@OUT@/p1"}, {contents_pillar: "app:text"}]
pillar-list:
  file.managed: [{name: "@OUT@/p2"}, {contents_pillar: "app:list"}]
pillar-many:
  file.managed: [{name: "@OUT@/p3"}, {contents_pillar: ["app:text", "app:other"]}]
pillar-null:
  file.managed: [{name: "@OUT@/p4"}, {contents_pillar: "app:null"}]
pillar-null-there:
  file.managed: [{name: "@OUT@/same.txt"}, {contents_pillar: "app:null"}]
pillar-missing:
  file.managed: [{name: "@OUT@/p5"}, {contents_pillar: "app:none"}]
pillar-delimiter:
  file.managed: [{name: "@OUT@/p6"}, {contents_pillar: "app|text"}, {contents_delimiter: "|"}]
pillar-empty:
  file.managed: [{name: "@OUT@/p7"}, {contents_pillar: "app:empty"}, {allow_empty: False}]
pillar-number:
  file.managed: [{name: "@OUT@/p9"}, {contents_pillar: "app:number"}]
grains-text:
  file.managed: [{name: "@OUT@/g1"}, {contents_grains: "box:name"}]
grains-missing:
  file.managed: [{name: "@OUT@/g2"}, {contents_grains: "box:none"}]
source-new:
  file.managed: [{name: "@OUT@/s1"}, {source: "salt://functions/given.txt"}]
source-same:
  file.managed: [{name: "@OUT@/s1"}, {source: "salt://functions/given.txt"}]
source-keep:
  file.managed: [{name: "@OUT@/s2"}, {source: "salt://functions/given.txt"}, {mode: keep}]
source-list:
  file.managed: [{name: "@OUT@/s3"}, {source: ["salt://functions/none.txt", "@OUT@/none", "salt://functions/given.txt"]}]
source-list-none:
  file.managed: [{name: "@OUT@/s4"}, {source: ["salt://functions/none.txt", "@OUT@/none"]}]
source-list-maps:
  file.managed: [{name: "@OUT@/s5"}, {source: [{"@OUT@/none": "md5=00"}, {"@OUT@/lines.txt": "sha256=181a4a2a008af03d6af5cc126dbfcbe7a07258d12d98a22f7cfa924a2a6d0e75"}]}]
source-none:
  file.managed: [{name: "@OUT@/s6"}, {source: "salt://functions/none.txt"}]
source-local-none:
  file.managed: [{name: "@OUT@/s6"}, {source: "@OUT@/none"}]
source-folder:
  file.managed: [{name: "@OUT@/s6"}, {source: "salt://functions"}]
hash-wrong-new:
  file.managed: [{name: "@OUT@/h1"}, {source: "@OUT@/lines.txt"}, {source_hash: "md5=00000000000000000000000000000000"}]
hash-wrong-there:
  file.managed: [{name: "@OUT@/kv.conf"}, {source: "@OUT@/lines.txt"}, {source_hash: "00000000000000000000000000000000"}]
hash-right:
  file.managed: [{name: "@OUT@/h2"}, {source: "@OUT@/lines.txt"}, {source_hash: "181a4a2a008af03d6af5cc126dbfcbe7a07258d12d98a22f7cfa924a2a6d0e75"}]
hash-length:
  file.managed: [{name: "@OUT@/h3"}, {source: "@OUT@/lines.txt"}, {source_hash: "sha1=00000000000000000000000000000000"}]
hash-kind:
  file.managed: [{name: "@OUT@/h3"}, {source: "@OUT@/lines.txt"}, {source_hash: "crc=00000000000000000000000000000000"}]
hash-odd:
  file.managed: [{name: "@OUT@/h3"}, {source: "@OUT@/lines.txt"}, {source_hash: "odd"}]
hash-file:
  file.managed: [{name: "@OUT@/h4"}, {source: "@OUT@/lines.txt"}, {source_hash: "salt://functions/sums.txt"}]
hash-file-name:
  file.managed: [{name: "@OUT@/h5"}, {source: "@OUT@/lines.txt"}, {source_hash: "salt://functions/sums.txt"}, {source_hash_name: "./other/lines.txt"}]
hash-file-first:
  file.managed: [{name: "@OUT@/h6"}, {source: "@OUT@/same.txt"}, {source_hash: "salt://functions/sums.txt"}]
hash-file-salt:
  file.managed: [{name: "@OUT@/h7"}, {source: "@OUT@/lines.txt"}, {source_hash: "salt://functions/none.txt"}]
hash-skip:
  file.managed: [{name: "@OUT@/h8"}, {source: "@OUT@/lines.txt"}, {source_hash: "md5=00000000000000000000000000000000"}, {skip_verify: True}]
template:
  file.managed: [{name: "@OUT@/t1"}, {source: "salt://functions/template.txt"}, {template: jinja}, {context: {a: 1}}, {defaults: {a: 0, b: 2}}, {extra: more}]
template-same:
  file.managed: [{name: "@OUT@/t1"}, {source: "salt://functions/template.txt"}, {template: jinja}, {context: {a: 1}}, {defaults: {a: 0, b: 2}}, {extra: more}]
template-odd:
  file.managed: [{name: "@OUT@/t2"}, {source: "salt://functions/template.txt"}, {template: odd}]
template-context:
  file.managed: [{name: "@OUT@/t3"}, {source: "salt://functions/template.txt"}, {template: jinja}, {context: [a]}]
template-context-empty:
  file.managed: [{name: "@OUT@/t3"}, {source: "salt://functions/template.txt"}, {template: jinja}, {context: []}]
template-defaults:
  file.managed: [{name: "@OUT@/t3"}, {source: "salt://functions/template.txt"}, {template: jinja}, {defaults: a}]
makedirs-no:
  file.managed: [{name: "@OUT@/m0/x"}, {contents: x}]
makedirs:
  file.managed: [{name: "@OUT@/m1/a/x"}, {contents: x}, {makedirs: True}, {mode: 640}]
makedirs-mode:
  file.managed: [{name: "@OUT@/m2/a/x"}, {contents: x}, {makedirs: True}, {mode: 640}, {dir_mode: 700}]
replace-no:
  file.managed: [{name: "@OUT@/same.txt"}, {contents: other}, {replace: False}]
replace-no-new:
  file.managed: [{name: "@OUT@/r1"}, {contents: other}, {replace: False}]
create-no:
  file.managed: [{name: "@OUT@/c1"}, {contents: other}, {create: False}]
create-no-there:
  file.managed: [{name: "@OUT@/same.txt"}, {contents: other}, {create: False}]
bare:
  file.managed: [{name: "@OUT@/bare"}, {mode: 600}]
bare-there:
  file.managed: [{name: "@OUT@/bare"}, {mode: 600}]
bare-mode:
  file.managed: [{name: "@OUT@/bare"}, {mode: 644}]
folder:
  file.managed: [{name: "@OUT@/tree"}, {contents: x}]
relative:
  file.managed: [{name: x}, {contents: x}]
user-none:
  file.managed: [{name: "@OUT@/u1"}, {contents: x}, {user: nobody-here}, {group: nobody-there}]
backup:
  file.managed: [{name: "@OUT@/hosts"}, {contents: b1}, {backup: minion}]
backup-no:
  file.managed: [{name: "@OUT@/hosts"}, {contents: b2}, {backup: False}]
check-good:
  file.managed: [{name: "@OUT@/k1"}, {contents: good}, {check_cmd: grep -q good}]
check-bad:
  file.managed: [{name: "@OUT@/k1"}, {contents: bad}, {check_cmd: "sh -c 'echo no; echo err >&2; exit 3'"}]
check-bad-new:
  file.managed: [{name: "@OUT@/k2"}, {contents: bad}, {check_cmd: grep -q good}, {tmp_ext: .conf}]
check-same:
  file.managed: [{name: "@OUT@/k1"}, {contents: good}, {check_cmd: "false"}]
link-target:
  file.symlink: [{name: "@OUT@/l1"}, {target: "@OUT@/tree/one.log"}]
link-follow:
  file.managed: [{name: "@OUT@/l1"}, {contents: through}, {require: [{file: link-target}]}]
link-source:
  file.managed: [{name: "@OUT@/l1"}, {source: "salt://functions/given.txt"}, {follow_symlinks: False}, {require: [{file: link-target}]}]
link-target-again:
  file.symlink: [{name: "@OUT@/l2"}, {target: "@OUT@/tree/sub/two.log"}]
link-contents:
  file.managed: [{name: "@OUT@/l2"}, {contents: instead}, {follow_symlinks: False}]
mode-odd:
  file.managed: [{name: "@OUT@/o1"}, {contents: x}, {mode: "0o644"}]
unknown-keyword:
  file.managed: [{name: "@OUT@/o2"}, {contents: x}, {owner: root}, {nonsense: 1}]
hash-order:
  file.managed: [{name: "@OUT@/dest.txt"}, {source: "@OUT@/lines.txt"}, {source_hash: "salt://functions/order.txt"}]
hash-order-source:
  file.managed: [{name: "@OUT@/other.txt"}, {source: "@OUT@/lines.txt"}, {source_hash: "salt://functions/order.txt"}]
hash-first:
  file.managed: [{name: "@OUT@/first.txt"}, {source: "@OUT@/same.txt"}, {source_hash: "salt://functions/order.txt"}]
hash-name-falls-back:
  file.managed: [{name: "@OUT@/dest.txt"}, {source: "@OUT@/lines.txt"}, {source_hash: "salt://functions/order.txt"}, {source_hash_name: none.txt}]
hash-no-hash:
  file.managed: [{name: "@OUT@/dest2.txt"}, {source: "@OUT@/lines.txt"}, {source_hash: "salt://functions/given.txt"}]
