import ArgumentParser
import Foundation
import RecordStore
import Tandem

/// Which suite of keys and values.
struct SuiteOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The suite: a group identifier, whose processes share it, such as group.org.example.app.", valueName: "suite"))
  var suite: String

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Look in this store, beside its models, not in the suite's own.", valueName: "store"),
    completion: .directory)
  var path: String?

  @OptionGroup var access: AccessOptions

  /// The suite for reading; there must be one.
  func openForReading() throws -> KeyValueStore {
    try KeyValueStore(suiteName: suite, configuration: access.configuration(try location(), isReadOnly: true))
  }

  /// The suite for writing; its own store is created when it is missing, any other must be there.
  func openForWriting() throws -> KeyValueStore {
    var configuration = access.configuration(try location(), isReadOnly: false)
    guard path == nil else {
      return try KeyValueStore(suiteName: suite, store: try RecordStore.open(configuration))
    }
    configuration.createsIfMissing = true
    return try KeyValueStore(suiteName: suite, configuration: configuration)
  }

  private func location() throws -> URL {
    if let path { return try StoreLocation.store(at: path) }
    return try StoreLocation.store(named: "KeyValues", in: GroupContainer(identifier: suite))
  }

  /// What a command about one key says when there is none.
  func missing(_ key: String) -> CommandFailure {
    CommandFailure(
      "\(suite) has no key '\(DisplayText.visible(key))'; 'tandem list \(suite)' shows its keys", status: .found)
  }
}
