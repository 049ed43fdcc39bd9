/// Says which data store a container opens, and for which classes.
///
/// ```swift
/// struct JSONStoreConfiguration: DataStoreConfiguration {
///   typealias Store = JSONStore
///   var name: String
///   var schema: Schema?
///   var fileURL: URL
///
///   func validate() throws {
///     guard fileURL.isFileURL else { throw CocoaError(.fileNoSuchFile) }
///   }
/// }
/// ```
public protocol DataStoreConfiguration: Hashable {
  /// The type of store that the configuration opens.
  associatedtype Store: DataStore where Store.Configuration == Self

  /// Tells configurations of one container apart.
  var name: String { get }
  /// The classes that the store holds; nil: those that no other configuration names. The container fills it in.
  var schema: Schema? { get set }
  /// Throws what is wrong with the configuration, before the store is made.
  ///
  /// - Throws: Anything; the making of the container then throws it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  ///
  /// - Throws: Nothing.
  public func validate() throws {}
}

extension ModelConfiguration: DataStoreConfiguration {
  /// The store of this library.
  public typealias Store = DefaultStore
}
