new:
  archive.extracted: [{name: "@OUT@/a"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}]
again:
  archive.extracted: [{name: "@OUT@/a"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}]
overwrite:
  archive.extracted: [{name: "@OUT@/a"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {overwrite: True}, {trim_output: 2}]
clean:
  archive.extracted: [{name: "@OUT@/a"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {overwrite: True}, {clean: True}]
clean-parent:
  archive.extracted: [{name: "@OUT@/a"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {overwrite: True}, {clean_parent: True}]
clean-both:
  archive.extracted: [{name: "@OUT@/a"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {clean: True}, {clean_parent: True}]
xz:
  archive.extracted: [{name: "@OUT@/xz"}, {source: "@OUT@/../salt/functions/archives/app.tar.xz"}]
flat:
  archive.extracted: [{name: "@OUT@/flat"}, {source: "@OUT@/../salt/functions/archives/flat.tar"}]
flat-allowed:
  archive.extracted: [{name: "@OUT@/flat"}, {source: "@OUT@/../salt/functions/archives/flat.tar"}, {enforce_toplevel: False}]
dot:
  archive.extracted: [{name: "@OUT@/dot"}, {source: "@OUT@/../salt/functions/archives/dot.tar"}]
dot-again:
  archive.extracted: [{name: "@OUT@/dot"}, {source: "@OUT@/../salt/functions/archives/dot.tar"}]
strip:
  archive.extracted: [{name: "@OUT@/strip"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {options: "--strip-components=1"}, {enforce_toplevel: False}]
strip-again:
  archive.extracted: [{name: "@OUT@/strip"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {options: "--strip-components=1"}, {enforce_toplevel: False}]
options:
  archive.extracted: [{name: "@OUT@/optz"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {options: zxvf}]
zip:
  archive.extracted: [{name: "@OUT@/z"}, {source: "@OUT@/../salt/functions/archives/app.zip"}]
zip-again:
  archive.extracted: [{name: "@OUT@/z"}, {source: "@OUT@/../salt/functions/archives/app.zip"}]
zip-options-without-program:
  archive.extracted: [{name: "@OUT@/z2"}, {source: "@OUT@/../salt/functions/archives/app.zip"}, {options: "-q"}, {use_cmd_unzip: False}]
zip-no-dirs:
  archive.extracted: [{name: "@OUT@/z3"}, {source: "@OUT@/../salt/functions/archives/nodirs.zip"}]
zip-no-modes:
  archive.extracted: [{name: "@OUT@/z4"}, {source: "@OUT@/../salt/functions/archives/app.zip"}, {extract_perms: False}]
zip-locked:
  archive.extracted: [{name: "@OUT@/z5"}, {source: "@OUT@/../salt/functions/archives/enc.zip"}]
broken:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/broken.tar.gz"}]
broken-user:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/broken.tar.gz"}, {user: root}, {if_missing: @OUT@/none}]
not-a-zip:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {archive_format: zip}]
unknown:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/plain"}]
unknown-format:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/plain"}, {archive_format: cab}]
no-source:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/none.tar.gz"}]
relative:
  archive.extracted: [{name: "b"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}]
over-file:
  archive.extracted: [{name: "@OUT@/same.txt"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}]
over-dir:
  archive.extracted: [{name: "@OUT@/tree"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {if_missing: @OUT@/tree}]
if-missing-relative:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {if_missing: rel}]
user-none:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {user: nobody-here}]
group-none:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {group: nobody-here}]
owner-outside:
  archive.extracted: [{name: "@OUT@/b"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {enforce_ownership_on: /etc}]
hash-bad:
  archive.extracted: [{name: "@OUT@/h"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {source_hash: aaaa}]
hash-other:
  archive.extracted: [{name: "@OUT@/h"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {source_hash: md5=00000000000000000000000000000000}]
password:
  archive.extracted: [{name: "@OUT@/h"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {password: p}]
verify-both:
  archive.extracted: [{name: "@OUT@/h"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {skip_verify: True}, {skip_files_list_verify: True}]
salt:
  archive.extracted: [{name: "@OUT@/s"}, {source: "salt://functions/archives/app.tar.gz"}]
salt-not-kept:
  archive.extracted: [{name: "@OUT@/s"}, {source: "salt://functions/archives/app.tar.gz"}, {keep_source: False}, {overwrite: True}]
salt-list:
  archive.extracted: [{name: "@OUT@/s"}, {source: ["salt://none.tar", "salt://functions/archives/app.zip"]}]
salt-none:
  archive.extracted: [{name: "@OUT@/s"}, {source: "salt://none.tar.gz"}]
list-none:
  archive.extracted: [{name: "@OUT@/s"}, {source: ["salt://none.tar"]}]
keep-both:
  archive.extracted: [{name: "@OUT@/k"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {keep: True}, {keep_source: True}]
kind:
  file.directory: [{name: "@OUT@/kind/app-1.0/README"}, {makedirs: True}]
kind-there:
  archive.extracted: [{name: "@OUT@/kind"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}]
kind-clean:
  archive.extracted: [{name: "@OUT@/kind"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {clean: True}]
kind-force:
  archive.extracted: [{name: "@OUT@/kind"}, {source: "@OUT@/../salt/functions/archives/app.tar.gz"}, {force: True}]
