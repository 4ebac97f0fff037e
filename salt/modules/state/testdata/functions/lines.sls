append:
  file.append: [{name: "@OUT@/lines.txt"}, {text: new}]
append-again:
  file.append: [{name: "@OUT@/lines.txt"}, {text: [new, "newer"]}]
append-loose:
  file.append: [{name: "@OUT@/lines.txt"}, {text: "gamma"}]
append-strict:
  file.append: [{name: "@OUT@/lines.txt"}, {text: "gam  ma"}, {ignore_whitespace: False}]
append-many:
  file.append: [{name: "@OUT@/lines.txt"}, {text: "x = 1\ny = 2"}]
append-many-again:
  file.append: [{name: "@OUT@/lines.txt"}, {text: "x = 1\ny = 2\n"}]
append-new:
  file.append: [{name: "@OUT@/a1"}, {text: x}]
append-makedirs:
  file.append: [{name: "@OUT@/a2/b/c"}, {text: x}, {makedirs: True}]
append-no-folder:
  file.append: [{name: "@OUT@/a3/c"}, {text: x}]
append-relative:
  file.append: [{name: a}, {text: x}]
append-number:
  file.append: [{name: "@OUT@/lines.txt"}, {text: 17}]
append-none:
  file.append: [{name: "@OUT@/lines.txt"}]
append-source:
  file.append: [{name: "@OUT@/lines.txt"}, {source: "salt://functions/given.txt"}]
append-sources:
  file.append: [{name: "@OUT@/lines.txt"}, {sources: ["salt://functions/given.txt", "salt://functions/folder/a.txt"]}, {context: {word: w}}]
append-source-none:
  file.append: [{name: "@OUT@/lines.txt"}, {source: "salt://functions/none.txt"}]
append-both:
  file.append: [{name: "@OUT@/lines.txt"}, {source: "salt://functions/given.txt"}, {sources: ["salt://functions/given.txt"]}]
append-unterminated:
  file.append: [{name: "@OUT@/keep/file"}, {text: "last"}]
prepend:
  file.prepend: [{name: "@OUT@/same.txt"}, {text: [first, second]}]
prepend-again:
  file.prepend: [{name: "@OUT@/same.txt"}, {text: [first, third]}]
prepend-header:
  file.prepend: [{name: "@OUT@/same.txt"}, {text: [second]}, {header: True}]
prepend-header-again:
  file.prepend: [{name: "@OUT@/same.txt"}, {text: [second]}, {header: True}]
prepend-new:
  file.prepend: [{name: "@OUT@/p1"}, {text: x}]
prepend-makedirs:
  file.prepend: [{name: "@OUT@/p2/b/c"}, {text: x}, {makedirs: True}]
replace:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: '^(\w+)\s*=.*$'}, {repl: '\1 = changed'}, {count: 1}]
replace-all:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: '=.*$'}, {repl: '= all'}, {backup: False}]
replace-again:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: '= nothing$'}, {repl: '= all'}]
replace-append:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: '^added.*$'}, {repl: 'added'}, {append_if_not_found: True}, {backup: .old}]
replace-append-again:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: '^added.*$'}, {repl: 'added'}, {append_if_not_found: True}]
replace-prepend:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: '^none$'}, {repl: 'x'}, {prepend_if_not_found: True}, {not_found_content: 'head'}, {show_changes: False}, {backup: ''}]
replace-flags:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: 'ADDED'}, {repl: 'put'}, {flags: [IGNORECASE, MULTILINE]}, {backup: False}]
replace-literal:
  file.replace: [{name: "@OUT@/kv.conf"}, {pattern: 'put'}, {repl: 'a\1b'}, {backslash_literal: True}, {backup: False}]
replace-none:
  file.replace: [{name: "@OUT@/none"}, {pattern: a}, {repl: b}]
replace-none-fine:
  file.replace: [{name: "@OUT@/none"}, {pattern: a}, {repl: b}, {ignore_if_missing: True}]
replace-folder:
  file.replace: [{name: "@OUT@/tree"}, {pattern: a}, {repl: b}]
comment:
  file.comment: [{name: "@OUT@/hosts"}, {regex: ^127}]
comment-again:
  file.comment: [{name: "@OUT@/hosts"}, {regex: ^127}]
comment-none:
  file.comment: [{name: "@OUT@/hosts"}, {regex: ^nothing}]
comment-none-fine:
  file.comment: [{name: "@OUT@/hosts"}, {regex: ^nothing}, {ignore_missing: True}]
comment-char:
  file.comment: [{name: "@OUT@/lines.txt"}, {regex: ^alpha$}, {char: ";"}, {backup: False}]
uncomment:
  file.uncomment: [{name: "@OUT@/hosts"}, {regex: ^127}, {backup: .two}]
uncomment-again:
  file.uncomment: [{name: "@OUT@/hosts"}, {regex: ^127}]
uncomment-none:
  file.uncomment: [{name: "@OUT@/hosts"}, {regex: ^nothing}]
uncomment-char:
  file.uncomment: [{name: "@OUT@/lines.txt"}, {regex: alpha}, {char: ";"}, {backup: False}]
