import Foundation
import HelperProcess
import RecordStore
import Tandem
import TestSupport

/// The model of the tests about history and live results; `model-test-helper` has the same.
@Model final class Note {
  @Attribute(.preserveValueOnDeletion) var text: String
  var number: Int
  init(text: String, number: Int = 0) {
    self.text = text
    self.number = number
  }
}

/// Another process on a container's store.
func otherProcess(_ container: ModelContainer, author: String = "helper") throws -> HelperProcess {
  let helper = try HelperProcess(arguments: [container.store.url.path, author], program: "model-test-helper")
  try helper.expect("ready")
  return helper
}

extension HelperProcess {
  func carryOut(_ line: String) throws {
    try send(line)
    try expect("done")
  }
}

/// Brings to one container what another one's store saved, as a synchronisation does.
func merge(_ source: ModelContainer, into target: ModelContainer) throws {
  let catalogue = try source.store.read { $0.catalogue }
  let replica = try source.store.read { try $0.replica }
  let known = try target.store.read { try $0.versionVector.sequence(of: replica) }
  var transactions: [TransactionFacts] = []
  try source.store.read { snapshot throws in
    try snapshot.forEachOutgoing(after: known) { outgoing in
      transactions.append(
        try TransactionCodec.decode(outgoing.encoded) { catalogue.entities[$0].fields[$1].type })
      return true
    }
  }
  _ = try target.store.commit(.merging(transactions))
}

/// The other class of `model-test-helper`.
@Model final class Errand {
  var text: String
  init(text: String) { self.text = text }
}
