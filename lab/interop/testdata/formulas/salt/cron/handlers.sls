{#- Requisites of every kind, and what fails on purpose. #}
{%- set word = salt['config.get']('tree:settings:name', 'none') %}

handlers_first:
  cmd.run:
    - name: echo {{ word }} | tee /srv/site.word
    - unless: grep -q {{ word }} /srv/site.word
    - order: 1

handlers_script:
  cmd.script:
    - name: salt://cron/files/report.sh.jinja
    - template: jinja
    - args: one "two words"
    - context:
        word: {{ word }}
    - creates: /srv/site.report
    - require:
      - file: tree_base

handlers_stateful:
  cmd.run:
    - name: |
        if [ -e /srv/site.stateful ]; then echo 'changed=no comment="as it was"'
        else touch /srv/site.stateful; echo 'changed=yes comment="made" size=0'; fi
    - stateful: True

handlers_env:
  cmd.run:
    - name: test "$SITE_WORD" = {{ word }} && pwd && id -un
    - env:
      - SITE_WORD: {{ word }}
    - cwd: /srv
    - runas: ada
    - require:
      - user: users_ada_user

handlers_fails:
  cmd.run:
    - name: echo out; echo err >&2; exit 3

handlers_after_failure:
  test.succeed_without_changes:
    - require:
      - cmd: handlers_fails

handlers_on_failure:
  test.configurable_test_state:
    - changes: True
    - result: True
    - comment: it has failed
    - onfail:
      - cmd: handlers_fails

handlers_missing_file:
  file.managed:
    - name: /srv/site.missing
    - source: salt://cron/files/nowhere

handlers_missing_requisite_any:
  test.nop:
    - require_any:
      - cmd: handlers_fails
      - cmd: handlers_stateful

handlers_onchanges_any:
  test.succeed_with_changes:
    - onchanges_any:
      - cmd: handlers_first
      - cmd: handlers_stateful

handlers_watched:
  test.show_notification:
    - text: seen by {{ sls }}
    - watch:
      - cmd: handlers_first

handlers_listener:
  cmd.wait:
    - name: echo listened
    - listen:
      - file: tree_settings_json

handlers_bad_argument:
  file.managed:
    - mode: '0644'
    - name: relative/path

handlers_retry:
  cmd.run:
    - name: test -e /srv/site.retry || { touch /srv/site.retry; false; }
    - retry:
        attempts: 3
        interval: 1

handlers_fire:
  event.send:
    - name: site/formulas/done
    - data:
        word: {{ word }}
    - require:
      - sls: cron.tree

handlers_grain:
  grains.present:
    - name: site
    - value: {{ word }}

handlers_grain_list:
  grains.list_present:
    - name: site_roles
    - value: {{ salt['pillar.get']('roles') | json }}

handlers_bad_template:
  file.managed:
    - name: /srv/site.bad
    - source: salt://cron/files/bad.jinja
    - template: jinja
