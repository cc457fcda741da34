internal import HTTPTypes
package import Hummingbird

/// The cookies of the console.
package enum ConsoleCookies {
    private static let themeName = "counterfoil-theme"

    /// The session cookie over HTTPS. Browsers accept a cookie with this prefix only from this host.
    private static let secureName = "__Host-counterfoil"
    /// The session cookie over HTTP on loopback, where browsers refuse the `__Host-` prefix.
    private static let plainName = "counterfoil"

    /// Returns the token of the session cookie.
    package static func session(of request: Request, isSecure: Bool) -> String? {
        value(isSecure ? secureName : plainName, of: request)
    }

    /// Returns the `Set-Cookie` value that stores the token until the browser ends.
    package static func startSession(_ token: String, isSecure: Bool) -> String {
        (isSecure ? "\(secureName)=\(token); Secure" : "\(plainName)=\(token)") + "; Path=/; HttpOnly; SameSite=Lax"
    }

    /// Returns the `Set-Cookie` value that deletes the session cookie.
    package static func endSession(isSecure: Bool) -> String { startSession("", isSecure: isSecure) + "; Max-Age=0" }

    package static func theme(of request: Request) -> Shell.Theme? {
        value(themeName, of: request).flatMap { Shell.Theme(rawValue: $0) }
    }

    /// Stores the theme of a sent form. Returns to the page of the form.
    package static func response(toThemeForm request: Request, home: PageLink) async throws -> Response {
        let fields = try await FormFields(request)
        let theme = fields["theme"].flatMap { Shell.Theme(rawValue: $0) }
        return .seeOther(fields["return"].flatMap { PageLink(own: $0) } ?? home, cookies: [setTheme(theme)])
    }

    private static func setTheme(_ theme: Shell.Theme?) -> String {
        "\(themeName)=\(theme?.rawValue ?? ""); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(theme == nil ? 0 : 31_536_000)"
    }

    /// Returns the value of a cookie; nil if there are several with this name, because one may be planted.
    private static func value(_ name: String, of request: Request) -> String? {
        let values = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return pair.count == 2 && pair[0].drop { $0 == " " } == name ? String(pair[1]) : nil
        }
        return values.count == 1 ? values[0] : nil
    }
}
