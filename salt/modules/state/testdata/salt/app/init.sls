include:
  - app.config
  - app.service
extend:
  app-config:
    file:
      - mode: '0640'
