extension ConfigurationTemplate {
    var header: String {
        """
        # The configuration of the Counterfoil server. It is read at start; `systemctl reload` (SIGHUP) reads keys, secrets,
        # webhooks and TLS files again; docs/operations.md lists them.
        #
        # `counterfoil server check counterfoil.yaml` lists every problem with its line;
        # `counterfoil server run --config counterfoil.yaml` runs the server.
        #
        # A # followed by a space starts a comment. A # without a space disables a setting and shows its default or an
        # example. Relative paths start in this file's folder. A secret is {file: PATH} or {environment: NAME}; files with
        # secrets should be readable by their owner only (chmod 600). Environment variables such as COUNTERFOIL_PORT
        # override some settings; docs/configuration.md lists them.

        """
    }

    var appSection: String {
        """
        # The apps, one entry each. All their notifications can go to one URL: /apple/notifications
        apps:
          - bundle_id: \(Self.quote(bundleID))
            # The Apple ID of the app, a number: App Store Connect > App Information.
            apple_id: \(appAppleID)
            # The accepted environments. Sandbox data are always accepted, since App Review buys there, and kept apart.
            #environments: [Production, Sandbox]
            # keep_apart, or refuse: with environments: [Production] sandbox data are refused.
            #sandbox: keep_apart

            # The In-App Purchase key: App Store Connect > Users and Access > Integrations. Without it missed notifications
            # cannot be fetched. While replacing it, list two keys, the newer first.
            key:
              issuer_id: \(Self.quote(issuerID))
              key_id: \(Self.quote(keyID))
              private_key: {file: \(Self.quote(keyFile))}
            # The key for promotional offers in the original format, if it is a different one.
            #offers: {key_id: \(Self.quote(keyID)), private_key: {file: \(Self.quote(keyFile))}}
            # The promotional offers that public keys can get signed. Default: none.
            #public_offers: [save20]

            # The app-specific shared secrets, which old clients send as password to verifyReceipt; several while replacing
            # one. The account's primary shared secret belongs in account_shared_secrets, beside apps.
            \(setting("shared_secrets", sharedSecret.map { "[\(Self.quote($0))]" }, or: "[{environment: APP_SHARED_SECRET}]"))
            # Other addresses of the App Store Server API, for a simulator.
            \(setting("base_urls", baseURLFlow, or: "{production: \"https://api.storekit.apple.com\", sandbox: \"https://api.storekit-sandbox.apple.com\"}"))

            # The entitlements, each with the products that give it. For customers who got the app before it became free:
            # premium: {products: [...], bought_before: {version: "2.0", date: 2024-03-01}}
        \(entitlementLines)

            # Product facts that the App Store does not provide: the duration of a non-renewing subscription, the level of
            # a subscription in its group (1 is the highest), the group of one that nobody has bought yet, and which
            # products are consumable (for old receipts).
        \(productLines)

            # What happens when a customer restores another's purchase: transfer, transfer_if_inactive, keep_original, share.
            #restore_policy: transfer

            # How to answer consumption requests; without this they are not answered. Set default_consent only if your terms
            # obtain the customer's consent. refund_preference: undeclared, decline, grant_full, grant_prorated.
            # delivery_status: delivered, undelivered_quality_issue, undelivered_wrong_item, undelivered_server_outage,
            # undelivered_other.
            #consumption: {default_consent: false, refund_preference: undeclared, delivery_status: delivered, sample_content_provided: false}

            # The secret that your backend signs customer tokens with (HS256), for public keys: openssl rand -base64 32
            # A list of two while replacing it, the newer first.
            #customer_token_secret: {environment: CUSTOMER_TOKEN_SECRET}
            # The Ed25519 key that signs responses, for apps that have the public key: openssl rand -base64 32
            #answer_key: {environment: ANSWER_KEY}

        """
    }

    var listenSection: String {
        """
        # The address to listen on.
        listen:
          host: 127.0.0.1
          port: 8080
          # The public URL of this server. Behind a proxy the console needs it.
          #public_url: https://purchases.example.com
          # HTTPS without a proxy: PEM files.
          #tls: {certificate: fullchain.pem, key: privkey.pem}
          # Behind a proxy: the networks whose X-Forwarded-For and X-Forwarded-Proto are trusted.
          #trusted_proxies: [10.0.0.0/8]
          # Access to /metrics: key (with the scope operations:read, for all apps and environments), or local (also any
          # request from this machine).
          #metrics: key
          # The networks that can send notifications. Default: any, since they are signed. Apple documents 17.0.0.0/8.
          #notification_networks: [17.0.0.0/8]

        """
    }

    var accessSection: String {
        """
        # The keys for the server's own API: `Authorization: Bearer …`. Only their SHA-256 is stored; counterfoil server keys
        # create creates more. Scopes: customers:read, customers:write, customers:transfer, customers:erase, grants:write,
        # offers:sign, support:read, support:write, operations:read, operations:write, webhooks:write, audit:read, console:open, or all.
        keys:
          - name: first
            secret: {sha256: \(keyHash)}
            scopes: [all]
            # A key can be limited to some apps and environments. Only a key without limits can administer the whole server.
            #apps: [\(Self.quote(bundleID))]
            #environments: [Production]
          # A key to ship in an app: it has access only to the customer whose customer token is sent with it.
          #- name: app
          #  secret: {environment: COUNTERFOIL_APP_KEY}
          #  scopes: [customers:read, customers:write, offers:sign]
          #  public: true

        # Endpoints that receive events, by Standard Webhooks. With several secrets each signs, while replacing one.
        # events: patterns of event types; payload: counterfoil or compatible (INITIAL_PURCHASE, RENEWAL, …).
        #webhooks:
        #  - name: backend
        #    url: https://backend.example.com/purchases
        #    secrets: [{environment: WEBHOOK_SECRET}]
        #    events: ["subscription.*"]
        #    payload: counterfoil
        #    apps: [\(Self.quote(bundleID))]
        #    environments: [Production]
        #    allow_private_networks: false

        """
    }

    var operationSection: String {
        """
        # The ledger, one SQLite file. synchronous: full survives a power cut, normal only a crash.
        # refused_kept, refused_bytes: how many refused deliveries are kept, and how many bytes of them.
        storage:
          path: counterfoil.sqlite
          #synchronous: full
          #refused_kept: 10000
          #refused_bytes: 64 MiB
          #cache_mib: 128

        # Trusted certificates. anchors (for signed data), receipts: lists of apple and files with root certificates; receipts
        # defaults to anchors. revocation, for signed data only: off, soft (accepts an unknown status) or hard;
        # revocation_hosts: further OCSP hosts that may be asked. certificates_valid_at: now, or signing_date for old data.
        \(anchors.isEmpty && revocationHosts.isEmpty ? "#" : "")trust:
        \(anchorLine("anchors"))
        \(anchorLine("receipts"))
        #  revocation: soft
        \(Self.list(revocationHosts).map { "  revocation_hosts: \($0)" } ?? "#  revocation_hosts: [ocsp.example.com]")
        #  certificates_valid_at: now

        # Recovery fetches missed notifications from the App Store's history, at start and every interval, beginning a little
        # (overlap) before the end of the last reading.
        #recovery:
        #  enabled: true
        #  interval: 15m
        #  overlap: 1h
        #  windows: 4
        #  retention_days: 180

        # Limits for clients. requests_per_second is for each key; buffered_bytes is for all request bodies in memory;
        # request_bytes is for one, but a notification has at most 1 MiB; connections_per_address does not count
        # connections of trusted_proxies.
        #limits:
        #  request_bytes: 4 MiB
        #  buffered_bytes: 64 MiB
        #  connections_per_address: 256
        #  requests_per_second: 1000
        #  request_time: 30s

        # level: trace, debug, info, notice, warning, error, critical; format: text or json.
        #log:
        #  level: info
        #  format: text

        # The console, at /console. Sign in with a key that has the scope console:open, or with a link by counterfoil server
        # console link --name NAME, which needs the secret. listen gives the console its own port.
        \(consoleLines)

        # The clock: system, or the URL of a simulator's control API.
        \(setting("clock", clock.map(Self.quote), or: "system"))

        """
    }

    /// Returns the line for `anchors` or `receipts`. Both use the same files.
    private func anchorLine(_ key: String) -> String {
        Self.list(anchors).map { "  \(key): \($0)" } ?? "#  \(key): apple"
    }
}
