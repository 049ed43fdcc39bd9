import Synchronization

extension ModelDescription {
  private static let used = Mutex<[String: ModelDescription]>([:])

  /// The class of an entity in the container made last that has one; nil if no container of the process does.
  static func inUse(named name: String) -> ModelDescription? { used.withLock { $0[name] } }

  /// A container with these classes was made: snapshots of their objects can be decoded from now on.
  static func noteUse(of descriptions: [ModelDescription]) {
    used.withLock { used in
      for description in descriptions { used[description.name] = description }
    }
  }
}
