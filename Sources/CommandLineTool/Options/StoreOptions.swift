import ArgumentParser
import Foundation
import RecordStore

/// Which store, and how to open it; the same for all commands about one store.
struct StoreOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The store's directory, or a device directory with one store.", valueName: "store"),
    completion: .directory, transform: GivenPath.text)
  var path: String

  @Option(
    help: ArgumentHelp(
      "Take <store> as a name, such as default, in the container of this group.", valueName: "identifier"))
  var group: String?

  @OptionGroup var access: AccessOptions

  func openForReading() throws -> RecordStore {
    try RecordStore.open(access.configuration(try location(), isReadOnly: true))
  }

  func openForWriting() throws -> RecordStore {
    try RecordStore.open(access.configuration(try location(), isReadOnly: false))
  }

  /// Where the store is; whether there is one, opening will tell.
  func location() throws -> URL {
    guard let group else { return try StoreLocation.store(at: path) }
    return try StoreLocation.store(named: path, in: GroupContainer(identifier: group))
  }
}

/// How long to wait, and what to put up with.
struct AccessOptions: ParsableArguments {
  static let defaultTimeout = 5.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to wait for a save of another process.", valueName: "seconds")
  )
  var timeout = AccessOptions.defaultTimeout

  @Flag(
    help: "Open a store on a network file system. Two machines that write to it destroy it: be sure that there is one.")
  var unsafelyAllowNetworkFileSystem = false

  func validate() throws {
    guard timeout >= 0, timeout <= 86_400 else {
      throw ValidationError("--timeout \(timeout) is not between 0 and 86400 seconds")
    }
  }

  func configuration(_ url: URL?, isReadOnly: Bool) -> StoreConfiguration {
    StoreConfiguration(
      url: url, isReadOnly: isReadOnly, createsIfMissing: false, timeoutSeconds: timeout,
      unsafelyAllowsNetworkFileSystem: unsafelyAllowNetworkFileSystem)
  }
}
