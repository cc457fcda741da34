// What the client kit uses of CryptoKit, written from Apple's documentation: page and first systems of each declaration.
// It is compiled by Scripts/check-storekit alone. What it verifies is verified by the command openssl, so that the kit's own
// code can be run where there is no CryptoKit.
// swift-format-ignore-file
public import Foundation

/// curve25519 · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
public enum Curve25519: Sendable {
    /// curve25519/signing · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
    public enum Signing: Sendable {
        /// curve25519/signing/publickey · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
        public struct PublicKey: Sendable {
            private let bytes: [UInt8]

            /// curve25519/signing/publickey/init(rawrepresentation:) · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = rawRepresentation.withUnsafeBytes { Array($0) }
                guard bytes.count == 32 else { throw CocoaError(.coderInvalidValue) }
            }

            /// curve25519/signing/publickey/isvalidsignature(_:for:) · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                // RFC 8410: a public key of Ed25519 is these twelve bytes and its own.
                let key = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + bytes
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: folder) }
                do {
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    for (name, contents) in [("key", Data(key)), ("signature", Data(signature)), ("data", Data(data))] {
                        try contents.write(to: folder.appendingPathComponent(name))
                    }
                    let openssl = Process()
                    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                    openssl.arguments = [
                        "openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "key", "-rawin",
                        "-in", "data", "-sigfile", "signature",
                    ]
                    openssl.currentDirectoryURL = folder
                    (openssl.standardOutput, openssl.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
                    try openssl.run()
                    openssl.waitUntilExit()
                    return openssl.terminationStatus == 0
                } catch { return false }
            }
        }
    }
}
