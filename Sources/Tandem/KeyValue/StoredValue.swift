public import Foundation
public import Observation
import Synchronization

/// The value of one key, observed: what `$` of a ``Stored`` property gives.
///
/// ```swift
/// let theme: StoredValue<String> = preferences.$theme
/// try theme.set("dark")  // throws where `theme = "dark"` cannot
/// for await value in try theme.values {
///   print(value)
///   if value == "dark" { break }
/// }
/// try theme.remove()
/// ```
///
/// Safe to use from any thread. It follows its suite from the first reading on, as long as it lives.
public final class StoredValue<Value: Sendable>: Observable, Sendable {
  /// The key that is observed.
  public let key: StoredKey<Value>
  private let open: @Sendable () throws -> KeyValueStore
  private let registrar = ObservationRegistrar()
  private let following = Mutex<Task<Void, Never>?>(nil)

  init(_ key: StoredKey<Value>, _ open: @escaping @Sendable () throws -> KeyValueStore) {
    self.key = key
    self.open = open
  }

  deinit { following.withLock { $0?.cancel() } }

  /// The suite; opened if it is not yet.
  ///
  /// - Throws: what opening the suite throws.
  public var store: KeyValueStore { get throws { try open() } }

  /// The newest value; the default where there is none, or the store cannot be read.
  public var value: Value {
    do {
      let store = try store
      follow(store)
      registrar.access(self, keyPath: \.value)
      return store[key]
    } catch {
      Log.error("the suite of \(key.name) cannot be opened, and the key reads as its default: \(error)")
      return key.defaultValue
    }
  }

  /// Sets the value, durably.
  ///
  /// - Throws: what opening the suite throws, and what ``KeyValueStore/set(_:for:)`` throws.
  public func set(_ value: Value) throws { try store.set(value, for: key) }

  /// Removes the key; it then reads as its default.
  ///
  /// - Throws: what opening the suite throws, and what ``KeyValueStore/remove(_:)`` throws.
  public func remove() throws { try store.remove(key) }

  /// The value as it is now, and after each commit that changed it.
  ///
  /// - Throws: what opening the suite throws.
  public var values: AsyncStream<Value> {
    get throws {
      let (key, texts) = (key, try store.values(forKey: key.name))
      return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let task = Task {
          for await value in texts { continuation.yield(value.flatMap { key.decode($0) } ?? key.defaultValue) }
          continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
      }
    }
  }

  func assign(_ value: Value) {
    do {
      try set(value)
    } catch {
      Log.error("\(key.name) could not be set, and keeps its value: \(error)")
      NotificationCenter.default.post(
        name: KeyValueStore.didFailToSetNotification, object: self,
        userInfo: [KeyValueStore.failedKeyKey: key.name, KeyValueStore.errorKey: error])
    }
  }

  /// Tells observers of each commit that changes the key, wherever it is made.
  private func follow(_ store: KeyValueStore) {
    following.withLock { task in
      guard task == nil else { return }
      let (changes, name) = (store.changes, key.name)
      task = Task { [weak self] in
        for await change in changes where change.keys.contains(name) {
          guard let self else { return }
          registrar.withMutation(of: self, keyPath: \.value) {}
        }
      }
    }
  }
}

extension KeyValueStore {
  /// Posted when an assignment to a ``Stored`` property could not be saved; its object is the property's
  /// ``StoredValue``, and the user info has ``failedKeyKey`` and ``errorKey``.
  public static let didFailToSetNotification = Notification.Name("KeyValueStoreDidFailToSet")
  /// In ``didFailToSetNotification``: `String`.
  public static let failedKeyKey = "key"
  /// In ``didFailToSetNotification``: `any Error`.
  public static let errorKey = "error"
}
