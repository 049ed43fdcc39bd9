/// The replicas at which rules look at each record of a commit, also at those that they do not concern.
///
/// The tables must come out the same: a record that the rules need not see is written as they would have written it.
package enum AskingReplicas: Sendable {
  case none, everyOther, all

  /// `index`: the replica's place in the order of names.
  func includes(_ index: Int) -> Bool {
    switch self {
    case .none: false
    case .everyOther: index.isMultiple(of: 2)
    case .all: true
    }
  }
}
