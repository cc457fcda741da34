/// A key or a hash state of swift-crypto that is made once and only read from then on.
///
/// swift-crypto 4 declares its keys and hash functions `Sendable`, version 3 does not, and this package builds with both.
/// In both they are values: a key has no operation that changes it, and a hash clones its storage before a change unless it
/// is the only owner. So what is shared between tasks through a constant never changes.
package struct CryptoConstant<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
