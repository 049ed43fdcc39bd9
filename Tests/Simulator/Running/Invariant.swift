/// What the simulator checks. Numbers are those of the design; `integrity` is the store's own check.
package enum Invariant: String, Hashable, Sendable, CaseIterable, Comparable {
  case converges = "I1"
  case batchesDoNotMatter = "I2"
  case repetitionChangesNothing = "I3"
  case nothingIsLostSilently = "I4"
  case stampsFollowKnowledge = "I5"
  case timeNeverStopsWork = "I6"
  case lastWriteIsSeen = "I7"
  case lifeFollowsTheOracle = "I8"
  case noReferenceToTheInvisible = "I9"
  case uniqueValuesAreUnique = "I10"
  case onceCountsOnce = "I11"
  case nothingCountsTwice = "I12"
  case readersSeeWholeTransactions = "I13"
  case oneTransactionOneEffect = "I14"
  case oneReplicaOneID = "I15"
  case collectionIsInvisible = "I16"
  case missingFilesDeleteNothing = "I17"
  case ownDirectoriesOnly = "I18"
  case damagedFilesAreRefused = "I19"
  case oldSchemasEndEqual = "I20"
  case snapshotEqualsReplay = "I21"
  case killsHarmNothing = "I22"
  case foldersStaySmall = "I23"
  case valuesAreHereOrAwaited = "I24"
  case valuesComeAndGo = "I25"
  case valuesStayForOthers = "I26"
  case noKeyNoWork = "I27"
  case foldersShowNothing = "I28"
  case onlySealedFilesAreTaken = "I29"
  case waysAgree = "ways"
  case integrity

  /// One line for people.
  package var title: String {
    switch self {
    case .converges: "equal facts give byte-equal dumps"
    case .batchesDoNotMatter: "one batch and many small ones give the same"
    case .repetitionChangesNothing: "importing again changes nothing"
    case .nothingIsLostSilently: "every acknowledged write is visible, beaten, or logged with its bytes"
    case .stampsFollowKnowledge: "what was known has a smaller stamp"
    case .timeNeverStopsWork: "saves never fail and imports never stall because of time"
    case .lastWriteIsSeen: "each visible value is the last write's"
    case .lifeFollowsTheOracle: "what is visible is what the oracle says"
    case .noReferenceToTheInvisible: "no visible reference to an invisible record"
    case .uniqueValuesAreUnique: "one visible record a unique value; the same ids joined everywhere"
    case .onceCountsOnce: "a once key counts once"
    case .nothingCountsTwice: "nothing is counted twice or dropped across joined ids"
    case .readersSeeWholeTransactions: "readers see whole transactions"
    case .oneTransactionOneEffect: "one transaction has one effect, however often it comes"
    case .oneReplicaOneID: "copies of a device end with ids of their own"
    case .collectionIsInvisible: "collection is invisible"
    case .missingFilesDeleteNothing: "missing files delete nothing"
    case .ownDirectoriesOnly: "nobody writes in another's directory"
    case .damagedFilesAreRefused: "a damaged file is refused, all else proceeds, the whole copy is taken later"
    case .oldSchemasEndEqual: "old and new schemas end equal"
    case .snapshotEqualsReplay: "snapshot and tail equal the full replay"
    case .killsHarmNothing: "after a kill at any step all of this holds"
    case .foldersStaySmall: "the folder stays within its bound"
    case .valuesAreHereOrAwaited: "a large value that is named is whole beside its store, or awaited"
    case .valuesComeAndGo: "all large values have come whole, and those that nothing names are gone"
    case .valuesStayForOthers: "no file of a value leaves its folder while a replica waits for nothing else"
    case .noKeyNoWork: "without the family's key a device takes, writes and loses nothing, and says so"
    case .foldersShowNothing: "an encrypted folder shows no word of a record and no file in clear"
    case .onlySealedFilesAreTaken: "what no holder of the key wrote for its place is not taken"
    case .waysAgree: "rules that look at each record leave the same bytes"
    case .integrity: "the store's own integrity check"
    }
  }

  package static func < (left: Invariant, right: Invariant) -> Bool {
    (left.position, left.rawValue) < (right.position, right.rawValue)
  }

  private var position: Int { Int(rawValue.dropFirst()) ?? .max }
}

/// A history that did not hold.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  package var invariant: Invariant
  package var sentence: String
  /// The step after which it was found, counted from 1; nil: in the end.
  package var step: Int?
  /// The replica on which it showed, where it is one.
  package var replica: String?

  package var description: String {
    "\(invariant.rawValue) \(step.map { "after step \($0)" } ?? "in the end"): \(sentence)"
  }
}
