/// How much of a receipt is read before it is refused.
public struct ReceiptLimits: Sendable, Hashable {
    /// The largest receipt, as text or as bytes. A genuine one with 187 purchases has 105 kB of text. Default: 8 MiB.
    public var bytes: Int

    /// The most attributes, those of all purchases included. A purchase has about twenty. Default: 300 000.
    public var attributes: Int

    /// The most certificates in a receipt. Genuine ones have one or three. Default: 16.
    public var certificates: Int

    /// Limits; what is not given is far above any genuine receipt.
    public init(bytes: Int = 8 << 20, attributes: Int = 300_000, certificates: Int = 16) {
        self.bytes = bytes
        self.attributes = attributes
        self.certificates = certificates
    }

    /// The largest certificate that is read: far above any genuine one.
    static let certificateBytes = 1 << 15
}
