/// A key or hash state of swift-crypto that is created once and then only read.
///
/// swift-crypto 4 declares its keys and hash functions `Sendable`, version 3 does not, and this package builds with
/// both. In both they are values: a key has no mutating operation, and a hash copies its storage before a change unless
/// it is the only owner. A constant that tasks share therefore never changes.
package struct CryptoConstant<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
