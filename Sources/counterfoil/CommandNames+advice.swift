extension CommandNames {
    /// What to do instead of commands that do not exist, by the words that people type for them. A similar name of an
    /// existing command would mislead here: `server restore` does not mean `simulator restore`.
    static let advice: [(typed: [String], advice: String)] = [
        // Neither a simulator nor a server
        (["start", "run", "up"], "`counterfoil simulator` runs a simulator, `counterfoil server run` a server."),
        (["stop", "restart"], "Ctrl-C or SIGTERM stops a simulator or a server."),
        (
            ["status"],
            "`counterfoil simulator status` shows a simulator, `counterfoil server get /v1/operations/health` a server."
        ),
        (
            ["webhook", "webhooks"],
            """
            `counterfoil server get /v1/webhooks` lists a server's webhooks; `counterfoil simulator listen` receives \
            a simulator's notifications.
            """
        ),
        (
            ["decode", "decrypt", "inspect", "parse", "read", "validate"],
            "`counterfoil verify` verifies and prints signed data, `counterfoil receipt` a receipt."
        ),
        (["version"], "The option --version shows the version."),
        // A server
        (["server start", "server up"], "`counterfoil server run` runs a server."),
        (["server stop"], "Ctrl-C or SIGTERM stops a server; with systemd `systemctl stop counterfoil`."),
        (
            ["server restart"],
            """
            Stop the server with Ctrl-C or SIGTERM, then `counterfoil server run`; with systemd `systemctl restart \
            counterfoil`.
            """
        ),
        (
            ["server reload"],
            "SIGHUP makes a server read its configuration again; with systemd `systemctl reload counterfoil`."
        ),
        (
            ["server status", "server health", "health", "ledger status", "ledger info"],
            "`counterfoil server get /v1/operations/health` shows the state of a running server."
        ),
        (
            ["server log", "server logs", "log", "logs"],
            "A server writes its log to standard error; with systemd `journalctl -u counterfoil` shows it."
        ),
        (
            ["server config", "server configuration", "config"],
            "`counterfoil server init` writes a configuration, and `counterfoil server check` checks one."
        ),
        (
            ["server webhook", "server webhooks"],
            "`counterfoil server get /v1/webhooks` lists the webhooks of a running server."
        ),
        (
            ["server customer", "server customers"],
            "`counterfoil server get /v1/customers/ID` shows a customer of a running server."
        ),
        (
            ["server notification", "server notifications"],
            "`counterfoil server get /v1/notifications` lists the notifications that a server received."
        ),
        (["server event", "server events"], "`counterfoil server get /v1/events` lists a server's events."),
        (["server console open"], "`counterfoil server console link` makes a link that signs in."),
        (["server keys add", "server keys new"], "`counterfoil server keys create` creates a key."),
        (
            ["server keys delete", "server keys remove", "server keys revoke", "server keys rotate"],
            """
            `counterfoil server keys create` makes a new key; to revoke one, remove it from the configuration and reload \
            the server (SIGHUP).
            """
        ),
        (["server restore"], "`counterfoil ledger restore` replaces a server's ledger with a backup."),
        (
            ["ledger check", "ledger verify"],
            "`counterfoil ledger rebuild --check` compares a ledger with its signed data."
        ),
        (["ledger migrate", "ledger upgrade"], "A newer `counterfoil server run` migrates the ledger when it starts."),
        // A simulator
        (["simulator start", "simulator up", "simulator serve"], "`counterfoil simulator` runs one until Ctrl-C."),
        (
            ["simulator stop"],
            "Ctrl-C or SIGTERM stops a simulator; `counterfoil simulator status` shows the number of its process."
        ),
        (
            ["simulator restart"],
            "`counterfoil simulator reset` deletes all customers and purchases and starts again."
        ),
        (
            ["simulator purchase", "simulator subscribe", "purchase", "subscribe"],
            "`counterfoil simulator buy` buys a product or a subscription for a customer."
        ),
        (
            ["simulator renew", "renew"],
            "`counterfoil simulator clock advance 1 month` lets a month pass: subscriptions renew."
        ),
        (
            ["simulator expire", "expire"],
            """
            `counterfoil simulator cancel` turns the renewal of a subscription off; `counterfoil simulator clock advance \
            1 month` lets a month pass: it ends.
            """
        ),
        (
            ["simulator fail"],
            "`counterfoil simulator fail-billing` makes payments fail, `counterfoil simulator fault` requests."
        ),
        (["simulator list"], "`counterfoil simulator customers` lists the customers and their purchases."),
        (["simulator products", "products"], "`counterfoil simulator status` lists the products."),
        (["simulator time"], "`counterfoil simulator clock` shows or advances the time."),
        (
            ["simulator console", "simulator open", "simulator ui"],
            """
            `counterfoil simulator --open` opens a simulator's pages; those of a running one are at its address, which \
            `counterfoil simulator status` shows.
            """
        ),
        (
            ["simulator notify", "simulator send", "simulator test", "test"],
            "`counterfoil simulator trigger TEST` sends a test notification."
        ),
        (
            ["simulator webhook", "simulator webhooks", "simulator events"],
            "`counterfoil simulator listen` receives a simulator's notifications and forwards them."
        ),
    ]
}
