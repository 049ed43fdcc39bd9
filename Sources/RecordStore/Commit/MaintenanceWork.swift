/// The work of the exchange or of a repair on facts; nobody's edit.
package struct MaintenanceWork: Hashable, Sendable {
  /// Facts that this replica says again.
  package var restatements: [Restatement] = []
  /// Facts of a lost store that this replica says again.
  package var repetition: Repetition?
  /// Facts that go, after all others.
  package var forgettings: [Forgetting] = []
  /// Bytes of a higher layer that travel with the transaction to every other device.
  package var notice: [UInt8]?

  package init(notice: [UInt8]? = nil) { self.notice = notice }
}
