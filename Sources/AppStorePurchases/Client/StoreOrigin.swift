/// Which store a product or transaction came from, so that buying and finishing go back there from any task.
///
/// Two values that differ in nothing else are equal: the origin is the way to the store, not part of the value.
package struct StoreOrigin: Hashable, Sendable {
  package let client: (any StoreClient)?

  package init(_ client: (any StoreClient)? = nil) {
    self.client = client
  }

  package func resolve() throws -> any StoreClient {
    if let client { return client }
    return try AppStore.client
  }

  package static func == (_: StoreOrigin, _: StoreOrigin) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}
