#!jinja|yaml
{%- set hours = {'nightly': 2, 'weekly': 4} %}
cron:
  enabled: True
  env:
    MAILTO: root@harbour.example.org
    PATH: /usr/local/bin:/usr/bin:/bin
  tasks:
    backup:
      name: /usr/local/bin/backup --all
      user: root
      minute: 17
      hour: {{ hours.nightly }}
      comment: What is saved every night
    report:
      name: /usr/local/bin/report > /dev/null 2>&1
      user: ada
      minute: '*/5'
      dayweek: 1-5
    rotate:
      name: '[ -x /usr/local/bin/rotate ] && /usr/local/bin/rotate %Y'
      special: '@weekly'
      comment: rotates
    random:
      name: /usr/local/bin/sometimes
      hour: {{ hours.weekly }}
      commented: True
    gone:
      type: absent
      name: /usr/local/bin/old
  scripts:
    backup: {mode: '0755', body: 'tar cf /dev/null "$@"'}
    report: {mode: '0750', body: 'echo report'}
tree:
  settings:
    name: harbour
    list: [1, 2, {three: 3}]
    deep: {yes_: true, no_: false, none: null, pi: 3.5}
  hosts: {web: 10.0.0.1, db: 10.0.0.2}
