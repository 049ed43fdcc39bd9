import CLMDB

/// The environments that this process has open, at most one per inode.
///
/// Two environments on one file would share LMDB's record locks without knowing: closing one drops the
/// locks of the other (lmdb.h, "Do not have open an LMDB database twice in the same process").
// @unchecked: the monitor guards the table.
final class EnvironmentRegistry: @unchecked Sendable {
  static let shared = EnvironmentRegistry()

  // A class, because copying a weak reference to an object that is being destroyed crashes.
  private final class Entry {
    let identity: EnvironmentIdentity
    /// Nil while the environment closes, until it has reported so.
    private(set) weak var environment: Environment?
    let owner: ObjectIdentifier

    init(_ environment: Environment) {
      identity = environment.identity
      self.environment = environment
      owner = ObjectIdentifier(environment)
    }
  }

  private let monitor = Monitor()
  private var entries: [EnvironmentIdentity.File: Entry] = [:]

  func open(at directory: String, options: Environment.Options) throws -> Environment {
    // The reference leaves the lock before it can be released: closing takes the lock itself.
    let environment = try monitor.withLock { try findOrOpen(at: directory, options: options) }
    if environment.isUnusable {
      throw LMDBError(
        .panic, operation: "open the environment at \(directory)",
        detail: "it failed earlier in this process; close every store on it, then open it again")
    }
    return environment
  }

  private func findOrOpen(at directory: String, options: Environment.Options) throws -> Environment {
    while let identity = try EnvironmentIdentity(directory: directory) {
      guard let entry = entries[identity.data] else {
        try refuseForeignLock(of: identity, directory: directory)
        break
      }
      if let environment = entry.environment { return environment }
      monitor.wait()
    }
    let environment = try Environment.openNew(at: directory, options: options)
    entries[environment.identity.data] = Entry(environment)
    return environment
  }

  /// Nil, without running `body`, while this process or another has the environment open. `isForReading`: see
  /// ``FileReach/whileUnused(isForReading:_:)``.
  func whileUnused<Result>(
    at directory: String, isForReading: Bool, _ body: () throws -> Result
  ) throws -> Result? {
    // The reference leaves the lock before it can be released: closing takes the lock itself.
    let outcome: (result: Result?, user: Environment?) = try monitor.withLock {
      while let identity = try EnvironmentIdentity(directory: directory), let entry = entries[identity.data] {
        if let environment = entry.environment { return (nil, environment) }
        // It closes, and reports so.
        monitor.wait()
      }
      return (try FileReach(directory: directory).whileUnused(isForReading: isForReading, body), nil)
    }
    return outcome.result
  }

  /// A data file that was replaced under its open lock file is a new inode with the old locks.
  private func refuseForeignLock(of identity: EnvironmentIdentity, directory: String) throws {
    guard let lock = identity.lock, entries.values.contains(where: { $0.identity.lock == lock }) else { return }
    throw LMDBError(
      .busy, operation: "open the environment at \(directory)",
      detail: "its data file was replaced while this process has the old one open; close that first")
  }

  /// Once a removed file is closed, a new one can get its inode, and be entered here before the report comes:
  /// only the closed environment's own entry goes.
  func didClose(_ identity: EnvironmentIdentity, of owner: ObjectIdentifier) {
    monitor.withLock {
      if entries[identity.data]?.owner == owner { entries[identity.data] = nil }
      monitor.wakeAll()
    }
  }
}
