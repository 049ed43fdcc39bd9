import Synchronization

extension ModelDescription {
  private static let used = Mutex<[Bool: [String: ModelDescription]]>([:])

  /// The class of an entity in the container made last that has one; nil if no container of the process does.
  /// Containers with a store of the app's own come first: theirs are the snapshots that are decoded.
  static func inUse(named name: String) -> ModelDescription? { used.withLock { $0[true]?[name] ?? $0[false]?[name] } }

  /// A container with these classes was made: snapshots of their objects can be decoded from now on.
  static func noteUse(of descriptions: [ModelDescription], inForeignStores isForeign: Bool) {
    used.withLock { used in
      for description in descriptions { used[isForeign, default: [:]][description.name] = description }
    }
  }
}
