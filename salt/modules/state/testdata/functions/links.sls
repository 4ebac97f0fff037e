new:
  file.symlink: [{name: "@OUT@/s1"}, {target: "@OUT@/same.txt"}]
again:
  file.symlink: [{name: "@OUT@/s1"}, {target: "@OUT@/same.txt"}]
again-odd:
  file.symlink: [{name: "@OUT@/s1"}, {target: "@OUT@/./same.txt"}]
other:
  file.symlink: [{name: "@OUT@/s1"}, {target: "@OUT@/lines.txt"}]
other-force:
  file.symlink: [{name: "@OUT@/s1"}, {target: "@OUT@/lines.txt"}, {force: True}]
other-atomic:
  file.symlink: [{name: "@OUT@/s1"}, {target: "@OUT@/kv.conf"}, {atomic: True}]
relative:
  file.symlink: [{name: s}, {target: x}]
relative-target:
  file.symlink: [{name: "@OUT@/s2"}, {target: same.txt}]
no-folder:
  file.symlink: [{name: "@OUT@/no/s"}, {target: x}]
makedirs:
  file.symlink: [{name: "@OUT@/far/away/s"}, {target: x}, {makedirs: True}, {mode: 700}]
user-none:
  file.symlink: [{name: "@OUT@/s3"}, {target: x}, {user: nobody-here}, {group: nobody-there}]
user-none-alone:
  file.symlink: [{name: "@OUT@/s3"}, {target: x}, {user: nobody-here}]
over-file:
  file.symlink: [{name: "@OUT@/hosts"}, {target: x}]
over-file-backup:
  file.symlink: [{name: "@OUT@/hosts"}, {target: x}, {backupname: hosts.old}]
over-file-backup-there:
  file.symlink: [{name: "@OUT@/kv.conf"}, {target: x}, {backupname: "@OUT@/lines.txt"}]
over-file-backup-force:
  file.symlink: [{name: "@OUT@/kv.conf"}, {target: x}, {backupname: "@OUT@/lines.txt"}, {force: True}]
over-file-backup-odd:
  file.symlink: [{name: "@OUT@/app.ini"}, {target: x}, {backupname: a/b}]
over-file-force:
  file.symlink: [{name: "@OUT@/app.ini"}, {target: x}, {force: True}]
over-file-atomic:
  file.symlink: [{name: "@OUT@/broken.json"}, {target: x}, {atomic: True}]
over-folder:
  file.symlink: [{name: "@OUT@/tree"}, {target: x}]
over-folder-force:
  file.symlink: [{name: "@OUT@/tree"}, {target: x}, {force: True}]
absent-file:
  file.absent: [{name: "@OUT@/merge.json"}]
absent-again:
  file.absent: [{name: "@OUT@/merge.json"}]
absent-folder:
  file.absent: [{name: "@OUT@/backups"}]
absent-link:
  file.absent: [{name: "@OUT@/s2"}]
absent-relative:
  file.absent: [{name: x}]
exists:
  file.exists: [{name: "@OUT@/lines.txt"}]
exists-not:
  file.exists: [{name: "@OUT@/none"}]
missing:
  file.missing: [{name: "@OUT@/none"}]
missing-not:
  file.missing: [{name: "@OUT@/merge.yaml"}]
touch:
  file.touch: [{name: "@OUT@/t1"}]
touch-deep:
  file.touch: [{name: "@OUT@/t/a/t2"}, {makedirs: True}]
touch-no-folder:
  file.touch: [{name: "@OUT@/tt/t2"}]
touch-time:
  file.touch: [{name: "@OUT@/t1"}, {mtime: 1000}]
rename:
  file.rename: [{name: "@OUT@/renamed"}, {source: "@OUT@/merge.yaml"}]
rename-none:
  file.rename: [{name: "@OUT@/renamed2"}, {source: "@OUT@/none"}]
rename-there:
  file.rename: [{name: "@OUT@/renamed"}, {source: "@OUT@/lines.txt"}]
rename-force:
  file.rename: [{name: "@OUT@/renamed"}, {source: "@OUT@/same.txt"}, {force: True}]
rename-no-folder:
  file.rename: [{name: "@OUT@/nn/renamed"}, {source: "@OUT@/block.txt"}]
rename-makedirs:
  file.rename: [{name: "@OUT@/nn/renamed"}, {source: "@OUT@/block.txt"}, {makedirs: True}]
