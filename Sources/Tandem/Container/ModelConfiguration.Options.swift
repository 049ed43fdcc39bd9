import RecordStore

extension ModelConfiguration {
  /// A mistake in a name, kept until somebody can throw it.
  struct Problem: Hashable {
    let error: any Error
    static func == (left: Problem, right: Problem) -> Bool { "\(left.error)" == "\(right.error)" }
    func hash(into hasher: inout Hasher) { hasher.combine("\(error)") }
  }

  /// How much of what was saved survives power loss.
  public enum Durability: Hashable, Sendable {
    /// A save that returned survives power loss.
    case full
    /// Power loss may take the last saves, never the store's integrity.
    case relaxed
  }

  /// The effect of an insert whose unique value another object has.
  public enum Uniqueness: Hashable, Sendable {
    /// The existing object takes the new values, as in SwiftData.
    case upsert
    /// The save throws and changes nothing.
    case `throw`
  }

  /// Which group's folder a store lies in.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?
    /// The app's own folder.
    public static let automatic = GroupContainer(identifier: nil)
    /// The app's own folder.
    public static let none = GroupContainer(identifier: nil)
    /// The folder that the group's processes share; a reverse-DNS name such as `group.org.example.app`.
    public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }
  }

  /// Kept for sources written for SwiftData. Devices are made equal by `SyncEngine` of RecordSync instead.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String?
    /// The value that SwiftData's sources mention by default. It has no effect here.
    public static let automatic = CloudKitDatabase(name: nil)
    /// No database. It has no effect here, as nothing of CloudKit is used.
    public static let none = CloudKitDatabase(name: nil)
    /// A database by name. The name is kept and has no effect here.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase(name: privateDBName) }
  }

  var storeConfiguration: StoreConfiguration {
    var configuration = StoreConfiguration(
      url: isStoredInMemoryOnly ? nil : url, isReadOnly: !allowsSave && !isStoredInMemoryOnly,
      durability: isStoredInMemoryOnly ? .unsafeNoFlush : durability == .full ? .full : .relaxed,
      timeoutSeconds: timeoutSeconds, uniqueness: uniqueness == .upsert ? .upsert : .throw,
      isSharedWithUserGroup: isSharedWithUserGroup, backupCount: backupCount)
    configuration.keepsChangedValues = keepsChangedValues
    configuration.largeValueBytes = largeValueBytes
    return configuration
  }
}
