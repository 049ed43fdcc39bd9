import ArgumentParser
import Foundation
import RecordStore
import Tandem

/// Which suite of keys and values, and where.
struct SuiteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The suite: a group identifier, whose processes share it, such as group.org.example.app, or a name without dots.",
      valueName: "name"))
  var suite = KeyValueStore.defaultSuiteName

  @OptionGroup var place: SuitePlaceOptions

  func validate() throws {
    if suite.isEmpty { throw ValidationError("a suite's name has at least one character") }
  }

  /// The suite for reading; there must be one.
  func openForReading() throws -> KeyValueStore {
    let url = try location()
    do {
      return try KeyValueStore(suiteName: suite, configuration: place.access.configuration(url, isReadOnly: true))
    } catch let error as StoreError where error.code == .notFound && place.path == nil {
      throw CommandFailure(
        "there is no suite \(DisplayText.visible(suite)) yet, in \(url.path); 'tandem put' makes it, and --suite and "
          + "--device name another one")
    }
  }

  /// The suite for writing; its own store is created when it is missing, any other must be there.
  func openForWriting() throws -> KeyValueStore {
    var configuration = place.access.configuration(try location(), isReadOnly: false)
    guard place.path == nil else {
      return try KeyValueStore(suiteName: suite, store: try RecordStore.open(configuration))
    }
    configuration.createsIfMissing = true
    return try KeyValueStore(suiteName: suite, configuration: configuration)
  }

  func location() throws -> URL {
    if let path = place.path { return try StoreLocation.store(at: path) }
    let container = try GroupContainer(identifier: KeyValueStore.group(of: suite), root: try place.root())
    return try StoreLocation.store(named: KeyValueStore.storeName, in: container)
  }

  private func isSuite(_ name: String) -> Bool {
    var other = self
    other.suite = name
    do {
      return StoreLocation.isStore(try other.location())
    } catch {
      return false
    }
  }

  /// The end of a command that was asked about keys that are not there.
  func require(_ missing: [String]) throws {
    guard let first = missing.first else { return }
    let names = missing.map { "'\(DisplayText.visible($0))'" }.joined(separator: ", ")
    // As scripts wrote it before suites were named by an option.
    let remedy =
      first.contains(".") && isSuite(first)
      ? "a suite is named by --suite \(first)" : "'tandem list' shows its keys"
    throw CommandFailure("\(suite) has no key \(names); \(remedy)", status: .found)
  }
}

/// Where suites lie; the same for all commands about them.
struct SuitePlaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Look in this device directory.",
      discussion: "Default: $TANDEM_CONTAINER_ROOT, else the person's own data folder.", valueName: "folder"),
    completion: .directory, transform: GivenPath.text)
  var device: String?

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Look in this store, beside its models, not in the suite's own.", valueName: "store"),
    completion: .directory, transform: GivenPath.text)
  var path: String?

  @OptionGroup var access: AccessOptions

  func validate() throws {
    if device != nil && path != nil {
      throw ValidationError("--device and --in exclude each other: one names a folder of stores, the other a store")
    }
  }

  /// The device directory that was named; nil: where groups lie by default.
  func root() throws -> URL? {
    guard let device else { return nil }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: device, isDirectory: &isFolder), isFolder.boolValue else {
      throw CommandFailure("there is no folder \(device); make it with 'mkdir', or check the path")
    }
    return URL(fileURLWithPath: device, isDirectory: true)
  }
}
