part-two:
  test.nop: [{require: [{sls: functions.parts}]}]
