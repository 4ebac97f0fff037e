host-new:
  host.present: [{name: db2}, {ip: 192.0.2.9}]
host-there:
  host.present: [{name: db1}, {ip: 192.0.2.1}]
host-comment:
  host.present: [{name: db1}, {ip: 192.0.2.1}, {comment: another}]
host-elsewhere:
  host.present: [{name: web}, {ip: [192.0.2.3]}]
host-clean:
  host.present: [{name: web}, {ip: [192.0.2.3]}, {clean: True}]
host-absent:
  host.absent: [{name: loop}, {ip: 127.0.0.1}]
host-absent-again:
  host.absent: [{name: loop}, {ip: [127.0.0.1]}]
host-only:
  host.only: [{name: 192.0.2.1}, {hostnames: [a, b]}]
host-only-again:
  host.only: [{name: 192.0.2.1}, {hostnames: [a, b]}]
env:
  environ.setenv: [{name: MOM_TEST_A}, {value: one}]
env-again:
  environ.setenv: [{name: MOM_TEST_A}, {value: one}]
env-map:
  environ.setenv: [{name: any}, {value: {MOM_TEST_A: two, MOM_TEST_B: False}}]
env-unset:
  environ.setenv: [{name: MOM_TEST_A}, {value: False}, {false_unsets: True}]
env-bad:
  environ.setenv: [{name: MOM_TEST_A}, {value: 5}]
