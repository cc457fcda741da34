extension ConfigurationTemplate {
    var header: String {
        """
        # The configuration of the Counterfoil server. It is read once, at start.
        #
        # `counterfoil server check counterfoil.yaml` says what is wrong with it, all at once and with the lines;
        # `counterfoil server run --config counterfoil.yaml` runs the server.
        #
        # A # that one blank follows begins a remark. The others switch a setting off; it shows the default, or an example. A
        # relative path begins in the folder of this file. A secret is {file: PATH} or {environment: NAME}, and a file of
        # secrets belongs to its owner alone (chmod 600). Some settings can be changed by environment variables, such as
        # COUNTERFOIL_PORT: docs/configuration.md lists them.

        """
    }

    var appSection: String {
        """
        # The apps, one entry each. All their notifications may go to one URL: /apple/notifications
        apps:
          - bundle_id: \(Self.quote(bundleID))
            # The Apple ID of the app, a number: App Store Connect > App Information.
            apple_id: \(appAppleID)
            # Where its data may come from. The sandbox always may, since App Review buys there; it is kept apart.
            #environments: [Production, Sandbox]
            # Or with environments: [Production] nothing of the sandbox is taken: keep_apart or refuse.
            #sandbox: keep_apart

            # The In-App Purchase key: App Store Connect > Users and Access > Integrations. Without it nothing that was
            # missed can be fetched. While it is being replaced, a list of two keys, the newer first.
            key:
              issuer_id: \(Self.quote(issuerID))
              key_id: \(Self.quote(keyID))
              private_key: {file: \(Self.quote(keyFile))}
            # The key for promotional offers, if it is another one.
            #offers: {key_id: \(Self.quote(keyID)), private_key: {file: \(Self.quote(keyFile))}}
            # The promotional offers that keys shipped in the app may have signed. Default: none.
            #public_offers: [save20]

            # What old versions of the app send as password to verifyReceipt; several while one is being replaced. The
            # primary shared secret of the whole account belongs in account_shared_secrets, beside apps.
            \(setting("shared_secrets", sharedSecret.map { "[\(Self.quote($0))]" }, or: "[{environment: APP_SHARED_SECRET}]"))
            # Other addresses of the App Store Server API, for a simulator.
            \(setting("base_urls", baseURLFlow, or: "{production: \"https://api.storekit.apple.com\", sandbox: \"https://api.storekit-sandbox.apple.com\"}"))

            # What customers get: each name with the products that give it. A name may also have a mapping, for who got the
            # app before it became free: premium: {products: [...], bought_before: {version: "2.0", date: 2024-03-01}}
        \(entitlementLines)

            # What the App Store does not tell about products: how long a non-renewing subscription lasts, the level of a
            # subscription in its group (1 is the highest), its group where nobody has bought it yet, what is consumable
            # (for old receipts).
        \(productLines)

            # When a purchase of one customer is restored by another: transfer, transfer_if_inactive, keep_original, share.
            #restore_policy: transfer

            # How the App Store's questions before a refund are answered; without this they are not. Consent is the
            # customer's: say default_consent only if your terms ask for it. refund_preference: undeclared, decline,
            # grant_full, grant_prorated. delivery_status: delivered, undelivered_quality_issue,
            # undelivered_wrong_item, undelivered_server_outage, undelivered_other.
            #consumption: {default_consent: false, refund_preference: undeclared, delivery_status: delivered, sample_content_provided: false}

            # What your own server signs customer tokens with (HS256, 32 bytes or more), for keys shipped in the app.
            #customer_token_secret: {environment: CUSTOMER_TOKEN_SECRET}
            # What answers are signed with for apps that have the public half (Ed25519): openssl rand -base64 32
            #answer_key: {environment: ANSWER_KEY}

        """
    }

    var listenSection: String {
        """
        # Where requests are accepted.
        listen:
          host: 127.0.0.1
          port: 8080
          # How the world reaches this server.
          #public_url: https://purchases.example.com
          # HTTPS without a proxy: PEM files.
          #tls: {certificate: fullchain.pem, key: privkey.pem}
          # Behind a proxy: the networks whose X-Forwarded-For is believed.
          #trusted_proxies: [10.0.0.0/8]
          # Who may read /metrics: key (with the scope operations:read), or local (also whoever asks from this machine).
          #metrics: key
          # Who may send notifications. They are signed, so everybody may; Apple documents 17.0.0.0/8.
          #notification_networks: [17.0.0.0/8]

        """
    }

    var accessSection: String {
        """
        # The keys of the server's own API: `Authorization: Bearer …`. Here is only what SHA-256 makes of them;
        # counterfoil server keys create makes more. Scopes: customers:read, customers:write,
        # customers:erase, grants:write, offers:sign, support:read, support:write, operations:read, operations:write, webhooks:write,
        # audit:read, console:open, or all.
        keys:
          - name: first
            secret: {sha256: \(keyHash)}
            scopes: [all]
            # A key may be limited to some apps and environments. Only one that is not can administer the whole server.
            #apps: [\(Self.quote(bundleID))]
            #environments: [Production]
          # One that is shipped in an app: each customer sees what is theirs, by the customer token.
          #- name: app
          #  secret: {environment: COUNTERFOIL_APP_KEY}
          #  scopes: [customers:read, customers:write, offers:sign]
          #  public: true

        # Who is told what happened, by Standard Webhooks. Several secrets sign side by side while one is being replaced.
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
        # Where everything is kept: one SQLite file. synchronous: full survives a power cut, normal only a crash.
        # refused_kept, refused_bytes: how much is kept of the deliveries that were refused, with the reasons.
        storage:
          path: counterfoil.sqlite
          #synchronous: full
          #refused_kept: 10000
          #refused_bytes: 64 MiB
          #cache_mib: 128

        # Whose signatures count. anchors (of signed data), receipts: a list of apple and files with root certificates;
        # receipts are those of anchors unless they are told. revocation, of signed data and not of receipts: off, soft
        # (what is unknown is accepted) or hard, with further hosts that may be asked. certificates_valid_at: now, or
        # signing_date for data of long ago.
        \(anchors.isEmpty && revocationHosts.isEmpty ? "#" : "")trust:
        \(anchorLine("anchors"))
        \(anchorLine("receipts"))
        #  revocation: soft
        \(Self.list(revocationHosts).map { "  revocation_hosts: \($0)" } ?? "#  revocation_hosts: [ocsp.example.com]")
        #  certificates_valid_at: now

        # How gaps are closed: what the App Store sent while this server could not hear is fetched at start and every so
        # often, from a little before where it is known to be complete.
        #recovery:
        #  enabled: true
        #  interval: 15m
        #  overlap: 1h
        #  windows: 4
        #  retention_days: 180

        # How much a client may ask for; requests_per_second is for each key. buffered_bytes: all request bodies in memory at
        # once. connections_per_address: those of trusted_proxies are not counted.
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

        # The pages of the server, at /console. Who has a key with the scope console:open can sign in there with it, or with
        # a link: counterfoil server console link --key NAME, which needs the secret. They may have a port of their own.
        \(consoleLines)

        # Whose time counts: system, or the URL of a simulator's control API.
        \(setting("clock", clock.map(Self.quote), or: "system"))

        """
    }

    /// The line of one kind of roots. The same files stand for both: which root signed what, the signatures tell.
    private func anchorLine(_ key: String) -> String {
        Self.list(anchors).map { "  \(key): \($0)" } ?? "#  \(key): apple"
    }
}
