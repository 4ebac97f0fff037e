new:
  file.directory: [{name: "@OUT@/d1"}]
new-again:
  file.directory: [{name: "@OUT@/d1/"}, {mode: 755}]
new-deep:
  file.directory: [{name: "@OUT@/d2/a/b"}, {makedirs: True}, {dir_mode: 750}]
new-no-parent:
  file.directory: [{name: "@OUT@/d3/a/b"}]
relative:
  file.directory: [{name: d}]
user-none:
  file.directory: [{name: "@OUT@/d4"}, {user: nobody-here}]
mode:
  file.directory: [{name: "@OUT@/keep"}, {dir_mode: 700}, {file_mode: 600}]
mode-recurse:
  file.directory: [{name: "@OUT@/keep"}, {dir_mode: 750}, {file_mode: 640}, {recurse: [mode]}]
mode-recurse-same:
  file.directory: [{name: "@OUT@/keep"}, {dir_mode: 750}, {file_mode: 640}, {recurse: [mode]}]
mode-dirs:
  file.directory: [{name: "@OUT@/tree"}, {dir_mode: 711}, {recurse: [mode, ignore_files]}]
mode-children:
  file.directory: [{name: "@OUT@/tree"}, {dir_mode: 700}, {file_mode: 600}, {recurse: [mode]}, {children_only: True}]
mode-silent:
  file.directory: [{name: "@OUT@/tree"}, {dir_mode: 755}, {file_mode: 644}, {recurse: [mode, silent]}]
user-unsaid:
  file.directory: [{name: "@OUT@/tree"}, {dir_mode: 750}, {recurse: [user, group]}]
recurse-odd:
  file.directory: [{name: "@OUT@/tree"}, {dir_mode: 755}, {recurse: [modes]}]
recurse-text:
  file.directory: [{name: "@OUT@/tree"}, {dir_mode: 755}, {recurse: mode}]
recurse-both:
  file.directory: [{name: "@OUT@/tree"}, {dir_mode: 755}, {recurse: [ignore_files, ignore_dirs]}]
clean-depth:
  file.directory: [{name: "@OUT@/tree"}, {clean: True}, {max_depth: 1}]
file-there:
  file.directory: [{name: "@OUT@/kv.conf"}]
file-force:
  file.directory: [{name: "@OUT@/app.ini"}, {force: True}]
link-in:
  file.symlink: [{name: "@OUT@/to-keep"}, {target: "@OUT@/keep"}]
link-there:
  file.directory: [{name: "@OUT@/to-keep"}, {require: [{file: link-in}]}]
link-not:
  file.directory: [{name: "@OUT@/to-keep"}, {allow_symlink: False}, {require: [{file: link-in}]}]
link-force:
  file.directory: [{name: "@OUT@/to-keep"}, {force: True}, {require: [{file: link-in}]}]
given:
  file.recurse: [{name: "@OUT@/given"}, {source: "salt://functions/folder"}]
given-again:
  file.recurse: [{name: "@OUT@/given"}, {source: "salt://functions/folder"}]
given-modes:
  file.recurse: [{name: "@OUT@/given"}, {source: "salt://functions/folder"}, {dir_mode: 750}, {file_mode: 640}]
given-keep:
  file.recurse: [{name: "@OUT@/given"}, {source: "salt://functions/folder/"}, {file_mode: keep}]
given-depth:
  file.recurse: [{name: "@OUT@/given-depth"}, {source: "salt://functions/folder"}, {maxdepth: 0}]
given-include:
  file.recurse: [{name: "@OUT@/given-include"}, {source: "salt://functions/folder"}, {include_pat: "*.txt"}]
given-include-list:
  file.recurse: [{name: "@OUT@/given-list"}, {source: "salt://functions/folder"}, {include_pat: ["a.*", 'E@^sub/c']}]
given-exclude-list:
  file.recurse: [{name: "@OUT@/given-less"}, {source: "salt://functions/folder"}, {exclude_pat: ["a.*", 'E@c\.']}]
given-both:
  file.recurse: [{name: "@OUT@/given-both"}, {source: "salt://functions/folder"}, {include_pat: "*.txt"}, {exclude_pat: 'E@^a'}]
given-template:
  file.recurse: [{name: "@OUT@/given-template"}, {source: "salt://functions/folder"}, {template: jinja}, {context: {word: said}}]
given-mode:
  file.recurse: [{name: "@OUT@/given"}, {source: "salt://functions/folder"}, {mode: 644}]
given-none:
  file.recurse: [{name: "@OUT@/given"}, {source: "salt://functions/none"}]
given-local:
  file.recurse: [{name: "@OUT@/given"}, {source: "@OUT@/tree"}]
given-over-file:
  file.recurse: [{name: "@OUT@/kv.conf"}, {source: "salt://functions/folder"}]
given-sources:
  file.recurse: [{name: "@OUT@/given-sources"}, {source: ["salt://functions/none", "salt://functions/folder/sub"]}]
clean-stay:
  file.managed: [{name: "@OUT@/backups/notes"}, {contents: kept}]
clean:
  file.directory: [{name: "@OUT@/backups"}, {clean: True}, {exclude_pat: "*2024*"}, {require: [{file: clean-stay}]}]
clean-again:
  file.directory: [{name: "@OUT@/backups"}, {clean: True}, {exclude_pat: ["*2024*", notes]}]
clean-itself-in:
  file.recurse: [{name: "@OUT@/itself"}, {source: "salt://functions/folder/deep"}]
clean-itself-stray:
  cmd.run: [{name: "touch @OUT@/itself/stray"}, {require: [{file: clean-itself-in}]}]
clean-itself:
  file.directory: [{name: "@OUT@/itself"}, {clean: True}, {require: [{cmd: clean-itself-stray}, {file: clean-itself-in}]}]
clean-recurse-in:
  cmd.run: [{name: "mkdir -p @OUT@/given/a.txt @OUT@/given/more; touch @OUT@/given/stray @OUT@/given/more/x"}]
clean-recurse:
  file.recurse: [{name: "@OUT@/given"}, {source: "salt://functions/folder"}, {clean: True}, {exclude_pat: [stray]}, {require: [{cmd: clean-recurse-in}]}]
linked:
  file.recurse: [{name: "@OUT@/linked"}, {source: "salt://functions/linked"}, {exclude_pat: gone}]
linked-kept:
  file.recurse: [{name: "@OUT@/linked-kept"}, {source: "salt://functions/linked"}, {keep_symlinks: True}, {exclude_pat: [gone, alias.txt]}]
linked-kept-again:
  file.recurse: [{name: "@OUT@/linked-kept"}, {source: "salt://functions/linked"}, {keep_symlinks: True}, {exclude_pat: [gone, alias.txt]}]
linked-taken:
  file.recurse: [{name: "@OUT@/linked"}, {source: "salt://functions/linked"}, {keep_symlinks: True}, {exclude_pat: [gone, way]}]
linked-forced:
  file.recurse: [{name: "@OUT@/linked"}, {source: "salt://functions/linked"}, {keep_symlinks: True}, {force_symlinks: True}, {exclude_pat: [gone, way]}]
