yaml:
  file.serialize: [{name: "@OUT@/new.yaml"}, {mode: 640}, {dataset: {zeta: [1, {a: b}, []], alpha: "täxt", word: "yes", n: null, f: 1.5, long: "@LONG@", multi: "a\nb\n", empty: {}, 5: five}}]
yaml-unicode:
  file.serialize: [{name: "@OUT@/uni.yaml"}, {dataset: {alpha: "täxt"}}, {encoding: utf-8}]
yaml-again:
  file.serialize: [{name: "@OUT@/uni.yaml"}, {dataset: {alpha: "täxt"}}, {encoding: utf-8}, {serializer: yaml}]
yaml-scalar:
  file.serialize: [{name: "@OUT@/scalar.yaml"}, {dataset: word}]
json:
  file.serialize: [{name: "@OUT@/new.json"}, {serializer: json}, {dataset: {zeta: [1, {a: b}, []], alpha: "täxt", n: null, f: 1.0, t: True}}]
json-options:
  file.serialize: [{name: "@OUT@/opt.json"}, {formatter: json}, {dataset: {zeta: 1, alpha: "täxt"}}, {serializer_opts: [{indent: 4}, {sort_keys: False}, {ensure_ascii: False}]}]
python:
  file.serialize: [{name: "@OUT@/new.py"}, {serializer: python}, {dataset: {zeta: [1, {a: b}], alpha: "text", long: "@LONG@"}}]
ini:
  file.serialize: [{name: "@OUT@/new.ini"}, {serializer: configparser}, {dataset: {one: {Key: v, n: 5}, DEFAULT: {d: x}}}]
ini-percent:
  file.serialize: [{name: "@OUT@/bad.ini"}, {serializer: configparser}, {dataset: {one: {Key: "50%"}}}]
merge-yaml:
  file.serialize: [{name: "@OUT@/merge.yaml"}, {merge_if_exists: True}, {dataset: {sub: {y: 2}, name: b, list: [2]}}]
merge-same:
  file.serialize: [{name: "@OUT@/merge.json"}, {serializer: json}, {merge_if_exists: True}, {dataset: {sub: {x: 1}}}]
merge-json:
  file.serialize: [{name: "@OUT@/merge.json"}, {serializer: json}, {merge_if_exists: True}, {dataset: {b: 2}}, {show_changes: False}]
merge-new:
  file.serialize: [{name: "@OUT@/mergenew.json"}, {serializer: json}, {merge_if_exists: True}, {dataset: {b: 2}}]
merge-python:
  file.serialize: [{name: "@OUT@/new.py"}, {serializer: python}, {merge_if_exists: True}, {dataset: {b: 2}}]
not-made:
  file.serialize: [{name: "@OUT@/not.json"}, {serializer: json}, {dataset: {b: 2}}, {create: False}]
no-dataset:
  file.serialize: [{name: "@OUT@/not.json"}]
no-serializer:
  file.serialize: [{name: "@OUT@/not.json"}, {dataset: {a: 1}}, {serializer: nosuch}]
two-serializers:
  file.serialize: [{name: "@OUT@/not.json"}, {dataset: {a: 1}}, {serializer: json}, {formatter: yaml}]
no-folder:
  file.serialize: [{name: "@OUT@/no/not.json"}, {dataset: {a: 1}}]
folder:
  file.serialize: [{name: "@OUT@/yes/it.json"}, {dataset: {a: 1}}, {makedirs: True}, {show_changes: False}]
