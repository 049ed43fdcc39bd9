/// A rule of merging or of encrypted folders made wrong on purpose, so that the simulator's own tests can show that it
/// would notice.
///
/// Not reachable from public API: ``StoreConfiguration`` keeps it for this package's tests only. Each case is
/// consulted at one place, and costs a comparison with nil where it is not set.
package enum RuleMutation: String, Hashable, Sendable, CaseIterable {
  /// Equal times of two replicas are not decided by the replica: what came first stays.
  case noTieBreak
  /// Whatever arrives is taken, however old it is.
  case lastArrivalWins
  /// A child stays although the parent that it goes with is dead.
  case noDerivedCascade
  /// Two records with one unique value stay two.
  case noAlias
  /// A compound key is compared by the ids that were written, not by those that stand for them.
  case keyNotModuloAlias
  /// Stamps are made from the wall clock alone.
  case noLogicalClock
  /// References to an id that was joined to another are not followed.
  case childrenNotFollowed
  /// Dead records are forgotten once everybody has applied the delete, whatever else is still under way.
  case collectionOnAcknowledgement
  /// A snapshot says nothing of effects that happen once.
  case snapshotDropsOnce
  /// Two branches of one stream are read as if they were one.
  case noForkCheck
  /// A restored or copied store goes on under its old replica id, whatever was published under it.
  case restoreResumesSequence
  /// The code at the end of an encrypted file is not compared.
  case codeNotCompared
  /// An encrypted change set is taken under the name of another content.
  case nameNotBound
  /// A device without the family's key takes an encrypted folder for one in clear, and writes there.
  case clearWithoutKey
  /// A device that is forgotten gets the family's new key as all others do.
  case forgottenGetsKey
  /// The files of a key that was replaced stay in the folder.
  case formerFilesStay
}
