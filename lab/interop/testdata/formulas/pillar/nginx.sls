nginx:
  lookup:
    webuser: www-data
  server:
    config:
      worker_processes: {{ 2 * 2 }}
      events:
        worker_connections: 768
      http:
        sendfile: 'on'
        include:
          - /etc/nginx/mime.types
          - /etc/nginx/conf.d/*.conf
  snippets:
    headers:
      - add_header: X-Frame-Options DENY
      - add_header: X-Site {{ grains['os_family'] }}
    letsencrypt:
      - location ^~ /.well-known/:
          - root: /var/www
          - allow: all
  sites:
    shop:
      enabled: True
      server_name: [shop.example.org, www.shop.example.org]
      listen: 8080
      root: /srv/www/shop
      locations:
        /: {try_files: '$uri $uri/ =404'}
        /api: {proxy_pass: 'http://127.0.0.1:9000', proxy_set_header: 'Host $host'}
    blog:
      enabled: True
      server_name: [blog.example.org]
      listen: 8081
      root: /srv/www/blog
    old:
      enabled: False
      server_name: [old.example.org]
      deleted: True
    default:
      enabled: False
  certificates:
    shop:
      public_cert: |
        -----BEGIN CERTIFICATE-----
        c2hvcCBwdWJsaWM=
        -----END CERTIFICATE-----
      private_key: |
        -----BEGIN PRIVATE KEY-----
        c2hvcCBwcml2YXRl
        -----END PRIVATE KEY-----
  htpasswd:
    - {user: ops, hash: '$apr1$abc$def'}
    - {user: dev, hash: '$apr1$ghi$jkl'}
