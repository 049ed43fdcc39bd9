public import Foundation
import RecordStore

/// A store, and the shared family to which it belongs: founding, inviting, joining and leaving.
///
/// ```swift
/// let shared = SharedStore(at: container.store.url)
/// try shared.found(named: "Ann")
/// let meeting = MeetingPlace.remote("backup:tandem")
/// let invitation = try shared.invite("Bob", as: FamilyRole.reader, meeting: meeting)
/// print("\(invitation.name) runs tandem sync \(meeting.option)")
/// ```
/// All of it is a matter of the ``FamilyFile`` beside the store; the store itself is not changed, and read only before
/// a key is replaced. The next synchronisation goes by the file: engines that were made before it was written have to
/// be made anew. Each call writes at most one file in one step, under a lock, so that two processes may call at once;
/// one that is killed leaves the file as it was or as it is to be, and may be called again.
public struct SharedStore: Sendable {
  /// The store's directory; it may be missing as long as nobody has synchronised.
  public let url: URL
  /// The file that makes it belong to a family.
  public var familyFile: URL { FamilyFile.url(besideStoreAt: url) }
  /// The store's place.
  public var place: DeviceDirectory.Place { DeviceDirectory.Place(ofStoreAt: url) }

  /// The store at a path. Nothing is looked at yet.
  public init(at url: URL) { self.url = url.standardizedFileURL }

  /// Returns the store's part in its family; nil where it is not shared.
  ///
  /// - Throws: As ``FamilyFile/init(at:)``.
  public func family() throws -> FamilyFile? { try FamilyFile.ifPresent(at: familyFile) }

  /// Returns the store's part in its family, and makes a family of its own first where it has none.
  ///
  /// - Parameter name: How the others will call the founder; without effect where there is a family.
  /// - Throws: ``SyncError`` `unusableKey` for a name that is none, `inputOutput`, `busy`; nothing has changed then.
  @discardableResult
  public func found(named name: String) throws -> FamilyFile {
    try locked {
      if let file = try family() { return file }
      let file = try FamilyFile(foundedBy: name)
      try file.write(to: familyFile)
      return file
    }
  }

  /// Returns an invitation for a person, from now on a member, or with a new role.
  ///
  /// - Parameters:
  ///   - name: How the members call the person.
  ///   - role: The rights that the invitation gives.
  ///   - meeting: Where the family's files lie; nil: as it was said before.
  /// - Throws: As ``FamilyFile/invite(_:as:to:)``, `keyNeeded` where the store is not shared, `inputOutput`, `busy`;
  ///   nothing has changed then.
  public func invite(_ name: String, as role: FamilyRole, meeting: MeetingPlace? = nil) throws -> FamilyInvitation {
    try changing { file in
      if let meeting { file.meeting = meeting }
      return try file.invite(name, as: role, to: place.description)
    }
  }

  /// Removes a person and makes a new key. Returns invitations for all other members: each needs its own.
  ///
  /// The next synchronisation of this device writes all that it knows with the new key, and removes the files of the
  /// old one. What others wrote with the old key and this device has not read comes again only from them.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - acceptingLoss: As in ``KeyFile/rotate(forgetting:ofStoreAt:acceptingLoss:)``.
  /// - Throws: As ``FamilyFile/remove(_:ofStoreAt:acceptingLoss:)``, `keyNeeded` where the store is not shared,
  ///   `inputOutput`, `busy`; nothing has changed then.
  public func remove(_ name: String, acceptingLoss: Bool = false) throws -> [FamilyInvitation] {
    try changing { file in
      try file.remove(name, ofStoreAt: url, acceptingLoss: acceptingLoss)
      return try file.invitations(to: place.description)
    }
  }

  /// New invitations for all members, with the present key.
  package func invitations() throws -> [FamilyInvitation] {
    try changing { try $0.invitations(to: place.description) }
  }

  /// Takes part in a family by an invitation, with a role and a key in place of those of an earlier one.
  ///
  /// Records that the store has stay, and the first synchronisation of a writer gives them to the family.
  ///
  /// - Throws: As ``FamilyFile/rejoin(_:)`` where the store is shared already, `inputOutput`, `busy`; nothing has
  ///   changed then.
  @discardableResult
  public func join(_ invitation: FamilyInvitation) throws -> FamilyFile {
    try locked {
      var file = FamilyFile(joining: invitation)
      if var known = try family() {
        try known.rejoin(invitation)
        file = known
      }
      try file.write(to: familyFile)
      return file
    }
  }

  /// Leaves the family: the records stay, and the store is of the family of its place again. Returns the part that it
  /// had; nil where it was not shared.
  ///
  /// - Throws: As ``FamilyFile/init(at:)``, `inputOutput`, `busy`; the store is still shared then.
  @discardableResult
  public func leave() throws -> FamilyFile? {
    try locked {
      guard let file = try family() else { return nil }
      try FamilyFile.remove(at: familyFile)
      return file
    }
  }

  private func changing<Result>(_ body: (inout FamilyFile) throws -> Result) throws -> Result {
    try locked {
      guard var file = try family() else {
        throw SyncError(
          .keyNeeded, "\(url.path) is not shared; 'tandem share' makes a family, and 'tandem join' takes part in one")
      }
      let result = try body(&file)
      try file.write(to: familyFile)
      return result
    }
  }

  private func locked<Result>(_ body: () throws -> Result) throws -> Result {
    try DirectoryLock.changingKeys(in: url.deletingLastPathComponent(), body)
  }
}
