present:
  ini.options_present: [{name: "@OUT@/app.ini"}, {sections: {lone: 3, main: {key: new, other: put, list: "a\n  b\n  c"}, fresh: {n: 5, t: True}}}]
present-again:
  ini.options_present: [{name: "@OUT@/app.ini"}, {sections: {lone: 3, main: {key: new}}}]
strict:
  ini.options_present: [{name: "@OUT@/app.ini"}, {strict: True}, {sections: {lone: 3, main: {key: new}}}]
colon:
  ini.options_present: [{name: "@OUT@/new.ini"}, {separator: ":"}, {sections: {a: {b: c}}}]
absent:
  ini.options_absent: [{name: "@OUT@/app.ini"}, {sections: {gone: [y, z], none: [a]}}]
absent-again:
  ini.options_absent: [{name: "@OUT@/app.ini"}, {sections: {gone: [y]}}]
sections:
  ini.sections_present: [{name: "@OUT@/app.ini"}, {sections: [main, more]}]
sections-absent:
  ini.sections_absent: [{name: "@OUT@/app.ini"}, {sections: [fresh, none]}]
sections-absent-again:
  ini.sections_absent: [{name: "@OUT@/app.ini"}, {sections: [fresh]}]
no-folder:
  ini.sections_present: [{name: "@OUT@/none/x.ini"}, {sections: [a]}]
