copy:
  file.copy: [{name: "@OUT@/copied"}, {source: "@OUT@/same.txt"}]
copy-again:
  file.copy: [{name: "@OUT@/copied"}, {source: "@OUT@/lines.txt"}]
copy-force:
  file.copy: [{name: "@OUT@/copied"}, {source: "@OUT@/lines.txt"}, {force: True}, {mode: 600}]
copy-same:
  file.copy: [{name: "@OUT@/copied"}, {source: "@OUT@/lines.txt"}, {force: True}, {preserve: True}]
copy-folder:
  file.copy: [{name: "@OUT@/far/tree"}, {source: "@OUT@/tree"}, {makedirs: True}]
copy-into:
  file.copy: [{name: "@OUT@/keep"}, {source: "@OUT@/same.txt"}, {subdir: True}]
copy-no-folder:
  file.copy: [{name: "@OUT@/nowhere/tree"}, {source: "@OUT@/tree"}]
copy-none:
  file.copy: [{name: "@OUT@/x"}, {source: "@OUT@/none"}]
copy-relative:
  file.copy: [{name: x}, {source: "@OUT@/same.txt"}]
link:
  file.hardlink: [{name: "@OUT@/hard"}, {target: "@OUT@/same.txt"}]
link-again:
  file.hardlink: [{name: "@OUT@/hard"}, {target: "@OUT@/same.txt"}]
link-other:
  file.hardlink: [{name: "@OUT@/hard"}, {target: "@OUT@/lines.txt"}]
link-there:
  file.hardlink: [{name: "@OUT@/keep/file"}, {target: "@OUT@/lines.txt"}]
link-force:
  file.hardlink: [{name: "@OUT@/keep/file"}, {target: "@OUT@/lines.txt"}, {force: True}]
link-folder:
  file.hardlink: [{name: "@OUT@/keep"}, {target: "@OUT@/lines.txt"}]
link-none:
  file.hardlink: [{name: "@OUT@/h"}, {target: "@OUT@/none"}]
link-relative:
  file.hardlink: [{name: h}, {target: none}]
link-no-folder:
  file.hardlink: [{name: "@OUT@/no/h"}, {target: "@OUT@/lines.txt"}]
tidy-nothing:
  file.tidied: [{name: "@OUT@/tree"}, {age: 5000}, {size: 1MB}]
tidy-size:
  file.tidied: [{name: "@OUT@/tree"}, {age: 5000}, {size: 10}, {matches: ['.*\.log']}]
tidy-exclude:
  file.tidied: [{name: "@OUT@/tree"}, {age: 0}, {exclude: [keep]}]
tidy-folders:
  file.tidied: [{name: "@OUT@/tree"}, {age: 0}, {rmdirs: True}]
tidy-none:
  file.tidied: [{name: "@OUT@/none"}]
tidy-relative:
  file.tidied: [{name: none}]
retain:
  file.retention_schedule: [{name: "@OUT@/backups"}, {strptime_format: "b-%Y%m%dT%H%M.tar"}, {retain: {most_recent: 1, first_of_day: 2, first_of_year: all}}]
retain-again:
  file.retention_schedule: [{name: "@OUT@/backups"}, {strptime_format: "b-%Y%m%dT%H%M.tar"}, {retain: {most_recent: 1, first_of_day: 2, first_of_year: all}}]
retain-weeks:
  file.retention_schedule: [{name: "@OUT@/backups"}, {strptime_format: "b-%Y%m%dT%H%M.tar"}, {retain: {first_of_week: 0}}]
retain-none:
  file.retention_schedule: [{name: "@OUT@/none"}, {retain: {most_recent: 1}}]
prune:
  file.pruned: [{name: "@OUT@/keep"}]
prune-all:
  file.pruned: [{name: "@OUT@/empties"}, {recurse: True}]
prune-again:
  file.pruned: [{name: "@OUT@/empties"}]
decode:
  file.decode: [{name: "@OUT@/decoded"}, {encoded_data: "aGVs\nbG8="}]
decode-again:
  file.decode: [{name: "@OUT@/decoded"}, {encoded_data: "aGVsbG8="}, {checksum: sha256}]
decode-other:
  file.decode: [{name: "@OUT@/decoded"}, {encoded_data: "aGVsbG8h"}, {checksum: sha256}]
decode-none:
  file.decode: [{name: "@OUT@/decoded"}]
decode-two:
  file.decode: [{name: "@OUT@/decoded"}, {encoded_data: x}, {contents_pillar: y}]
decode-bad:
  file.decode: [{name: "@OUT@/decoded"}, {encoded_data: "aGVsbG8"}]
cached:
  file.cached: [{name: "salt://functions/given.txt"}]
cached-again:
  file.cached: [{name: "salt://functions/given.txt"}]
cached-hash:
  file.cached: [{name: "salt://functions/given.txt"}, {source_hash: 8c3a6d7f0b6f7a1ed6f8bd5d4d17a6c68e9a6b0d3c2b1a0f9e8d7c6b5a493827}]
cached-local:
  file.cached: [{name: "@OUT@/same.txt"}]
cached-none:
  file.cached: [{name: "salt://functions/none.txt"}]
cached-web:
  file.cached: [{name: "http://192.0.2.1/x"}]
not-cached:
  file.not_cached: [{name: "salt://functions/given.txt"}]
not-cached-again:
  file.not_cached: [{name: "salt://functions/given.txt"}]
not-cached-local:
  file.not_cached: [{name: "@OUT@/same.txt"}]
shortcut:
  file.shortcut: [{name: "@OUT@/s"}, {target: x}]
