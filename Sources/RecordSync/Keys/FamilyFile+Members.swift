public import Foundation
import RecordStore

extension FamilyFile {
  /// Returns an invitation for a person, and notes the person. One that was invited before gets the new role, and
  /// may use the invitation on another device.
  ///
  /// Write the file before the invitation is handed on.
  ///
  /// - Parameters:
  ///   - name: How the members call the person.
  ///   - role: The rights that the invitation gives.
  ///   - place: The store's place, `GROUP/NAME`, where the person's device has none of its own.
  /// - Throws: ``SyncError`` `readOnly` on other devices than the founder's, `unusableKey` for a name that is none or
  ///   too many members. Nothing has changed then.
  public mutating func invite(_ name: String, as role: FamilyRole, to place: String) throws -> FamilyInvitation {
    let charter = try founding()
    let name = try KeyText.name(name)
    guard name != self.name else {
      throw SyncError(
        .unusableKey, "\(name) is how the founder itself is called; give the person, or your other device, another name"
      )
    }
    let others = members.filter { $0.name != name }
    guard others.count < FamilyFile.greatestMemberCount else {
      throw SyncError(.unusableKey, "a family has at most \(FamilyFile.greatestMemberCount) members; remove one first")
    }
    let known = members.first { $0.name == name }
    guard known == nil || known?.role == role || role == .writer else {
      throw SyncError(
        .unusableKey,
        "\(name) may write already, and an invitation to read takes nothing away: remove \(name) first, and "
          + "invite anew"
      )
    }
    let invitation = try invitation(for: name, as: role, to: place, charter)
    members = others + [Member(name: name, role: role)]
    return invitation
  }

  private func invitation(
    for name: String, as role: FamilyRole, to place: String, _ charter: FounderKey
  ) throws -> FamilyInvitation {
    let pen = role == .writer ? try charter.pen(for: family, keyID: key.id) : nil
    let membership = Membership(family: family, founder: charter.publicKey, pen: pen, isFounder: false)
    return FamilyInvitation(key, membership, name: name, from: self.name, place: place, meeting: meeting)
  }

  /// Invitations for all members, such as after ``remove(_:ofStoreAt:acceptingLoss:)``.
  ///
  /// - Throws: As ``invite(_:as:to:)``.
  public func invitations(to place: String) throws -> [FamilyInvitation] {
    let charter = try founding()
    return try members.map { try invitation(for: $0.name, as: $0.role, to: place, charter) }
  }

  /// Removes a person: makes a new key, under which no certificate of before counts. All other members need new
  /// invitations, the founder's device excepted.
  ///
  /// Costs a look at the list of the store's large values.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - store: The store that belongs to the family; it may be missing.
  ///   - acceptingLoss: As in ``KeyFile/rotate(forgetting:ofStoreAt:acceptingLoss:)``.
  /// - Throws: ``SyncError`` `readOnly` on other devices than the founder's, `unusableKey` where nobody has the name,
  ///   `missingValue` where large values would be lost; and `StoreError` where the store cannot be read, without
  ///   `acceptingLoss`. Nothing has changed then.
  public mutating func remove(_ name: String, ofStoreAt store: URL, acceptingLoss: Bool = false) throws {
    let charter = try founding()
    guard members.contains(where: { $0.name == name }) else {
      let known = members.map(\.name).sorted().joined(separator: ", ")
      throw SyncError(
        .unusableKey,
        "nobody named \(name) was invited into the family; it has \(known.isEmpty ? "nobody else" : known)"
          + (known.isEmpty || !hasReplacedKey
            ? "" : "; after a removal that was cut off, 'tandem share --invitations' writes their new invitations"))
    }
    if !acceptingLoss { try UnloadedValues(ofStoreAt: store).refuseReplacement() }
    let next = key.rotated()
    membership = Membership(
      family: family, founder: charter.publicKey, pen: try charter.pen(for: family, keyID: next.id), isFounder: true)
    key = next
    key.membership = membership
    members.removeAll { $0.name == name }
  }

  /// Takes the key and the role of a newer invitation into the same family, in place of those that this file has.
  ///
  /// - Throws: ``SyncError`` `unusableKey` for one into another family, for one that is older than the key, and on the
  ///   founder's device. Nothing has changed then.
  public mutating func rejoin(_ invitation: FamilyInvitation) throws {
    guard invitation.family == family else {
      throw SyncError(
        .unusableKey,
        "the store belongs to another family already "
          + "(\(inviter.map { "\($0) invited \(name)" } ?? "it was founded here"))"
          + "; 'tandem leave' takes it out first")
    }
    guard !isFounder else {
      throw SyncError(.unusableKey, "the family was founded with this store, which needs no invitation into it")
    }
    guard invitation.membership.founder == membership.founder else {
      throw SyncError(
        .unusableKey, "the invitation is not one of the family's founder, though it names the family; do not use it")
    }
    guard !key.formerIDs.contains(invitation.keyID) else {
      throw SyncError(
        .unusableKey, "the invitation is older than the family's present key; \(FamilyInvitation.remedy)")
    }
    self = FamilyFile(joining: invitation)
  }

  private func founding() throws(SyncError) -> FounderKey {
    guard let charter else {
      throw SyncError(
        .readOnly,
        "only the device on which the family was founded invites and removes members; ask \(inviter ?? "its founder")")
    }
    return charter
  }
}
