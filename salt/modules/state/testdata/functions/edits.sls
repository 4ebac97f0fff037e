line-insert:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: insert}, {content: inserted}, {after: gamma}]
line-ensure:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: ensure}, {content: between}, {before: delta}, {after: inserted}]
line-ensure-again:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: ensure}, {content: between}, {before: delta}, {after: inserted}]
line-replace:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: replace}, {content: BETA}, {match: beta}]
line-delete:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: delete}, {match: alpha}, {show_changes: False}]
line-create:
  file.line: [{name: "@OUT@/made.txt"}, {mode: insert}, {content: x}, {location: start}, {create: True}, {file_mode: 600}]
line-no-mode:
  file.line: [{name: "@OUT@/lines.txt"}, {content: x}]
line-no-content:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: insert}]
line-no-file:
  file.line: [{name: "@OUT@/none.txt"}, {mode: insert}, {content: x}]
line-not-found:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: ensure}, {content: x}, {after: nowhere}]
line-not-found-quiet:
  file.line: [{name: "@OUT@/lines.txt"}, {mode: ensure}, {content: x}, {after: nowhere}, {quiet: True}]
block-gather:
  file.accumulated: [{filename: "@OUT@/block.txt"}, {text: [gathered one, gathered two]}, {require_in: [{file: block-in}]}]
block-in:
  file.blockreplace: [{name: "@OUT@/block.txt"}, {content: "new"}]
block-again:
  file.blockreplace: [{name: "@OUT@/block.txt"}, {content: "new\ngathered one\ngathered two\n"}, {backup: False}]
block-source:
  file.blockreplace: [{name: "@OUT@/same.txt"}, {source: "@OUT@/lines.txt"}, {append_if_not_found: True}, {backup: .old}]
block-before:
  file.blockreplace: [{name: "@OUT@/kv.conf"}, {marker_start: "# begin"}, {marker_end: "# end"}, {content: in}, {insert_before_match: ^second}, {show_changes: False}, {backup: False}]
block-missing:
  file.blockreplace: [{name: "@OUT@/kv.conf"}, {marker_start: "# no"}, {marker_end: "# such"}, {content: in}]
block-two:
  file.blockreplace: [{name: "@OUT@/kv.conf"}, {append_if_not_found: True}, {prepend_if_not_found: True}]
block-no-file:
  file.blockreplace: [{name: "@OUT@/none"}, {content: x}]
block-relative:
  file.blockreplace: [{name: none}, {content: x}]
