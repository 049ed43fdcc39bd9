import RecordStore

/// A device's part in a shared family: whose certificates it believes, and what it signs with.
///
/// It goes with the ``FamilyKey``, so that everything that opens a folder of a shared family by the key also asks for
/// signatures.
struct Membership: Hashable, Sendable {
  /// The family's id: random, so that no place tells it.
  let family: RecordID
  /// The founder's public key.
  let founder: [UInt8]
  /// Nil: the device reads only.
  let pen: WriterPen?
  /// Whether the family was founded here: a folder without its files is then one to begin in.
  let isFounder: Bool

  var role: FamilyRole { pen == nil ? .reader : .writer }
}

extension FamilyKey {
  /// Whether the device may only read what lies in the folder.
  var isReader: Bool { membership?.role == .reader }
}
