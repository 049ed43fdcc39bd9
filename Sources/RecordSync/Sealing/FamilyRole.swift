/// The rights of a member of a shared family.
public enum FamilyRole: String, Hashable, Sendable, Codable, CaseIterable {
  /// Reads the family's files and writes some of its own.
  case writer
  /// Reads only: nothing that its devices write is taken by anybody.
  case reader
}
