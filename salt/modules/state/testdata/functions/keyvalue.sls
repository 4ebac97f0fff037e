kv-space:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key: first}, {value: 5}, {separator: " = "}]
kv-again:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key: first}, {value: "5"}, {separator: " = "}]
kv-comment:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key_values: {third: drei, fourth: vier}}, {uncomment: "# "}, {append_if_not_found: True}]
kv-prepend:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key_values: {p1: "1", p2: True}}, {prepend_if_not_found: True}, {show_changes: False}]
kv-case:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key: SECOND}, {value: X}, {key_ignore_case: True}, {count: -1}]
kv-valuecase:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key: second}, {value: x}, {value_ignore_case: True}]
kv-indented:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key: indented}, {value: "4"}]
kv-none:
  file.keyvalue: [{name: "@OUT@/none"}, {key: a}, {value: b}]
kv-none-ignored:
  file.keyvalue: [{name: "@OUT@/none"}, {key: a}, {value: b}, {ignore_if_missing: True}]
kv-empty:
  file.keyvalue: [{name: "@OUT@/kv.conf"}]
kv-list:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key_values: [a]}]
kv-both:
  file.keyvalue: [{name: "@OUT@/kv.conf"}, {key_values: {a: 1}}, {key: a}, {value: b}]
