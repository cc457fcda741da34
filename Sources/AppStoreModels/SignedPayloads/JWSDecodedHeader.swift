/// The header of what Apple signs. Apple's page: `JWSDecodedHeader`. Reading it proves nothing; verifying does.
public struct JWSDecodedHeader: Sendable, Hashable, Codable {
    /// The algorithm, `ES256`.
    public var alg: String
    /// The certificates, leaf first: standard (not URL-safe) Base64 of DER. Three from the App Store, one from Xcode.
    public var x5c: [String]?
    /// `JWT` where present.
    public var typ: String?
    /// Removed by Apple from store data in 2022; Xcode writes `Apple_Xcode_Key`.
    public var kid: String?

    /// Creates the value from its parts.
    public init(alg: String, x5c: [String]? = nil, typ: String? = nil, kid: String? = nil) {
        self.alg = alg
        self.x5c = x5c
        self.typ = typ
        self.kid = kid
    }
}
