include: [..two]
part-inner:
  test.nop: [{require: [{test: part-two}]}]
