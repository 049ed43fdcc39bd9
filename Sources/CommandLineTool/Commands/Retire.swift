import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection

struct Retire: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say that a device is gone for good, so that nothing waits for it any more.",
    discussion: """
      REPLICA is the id that 'tandem status' lists. The fact travels to all other
      devices with the next sync. A device that comes back in spite of it loses
      nothing: it goes on under a new id. Retire a device that is lost or erased;
      one that is only away for a while may edit what others then forget. Exit code 2
      if no store of the device knows the replica, or the id is not one.

      Example: tandem retire phone 5e1f0c2d3b4a6978
      """)

  @Argument(
    help: ArgumentHelp("A device directory.", valueName: "device"), completion: .directory, transform: GivenPath.text)
  var device: String

  @Argument(help: ArgumentHelp("The replica that is gone: sixteen hexadecimal digits.", valueName: "replica"))
  var replica: String

  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let id = ReplicaID(replica.lowercased()) else {
      throw ValidationError("\(replica) is no replica id; 'tandem status \(device)' lists them")
    }
    let directory = try DeviceDirectory(URL(fileURLWithPath: device, isDirectory: true))
    let configuration = access.configuration(nil, isReadOnly: false)
    let wait = MainThreadWait<[DeviceDirectory.Place]>()
    let places = try Interruption.shared.cancelling({ wait.cancel() }) {
      try wait.run { try await directory.retire(id, configuration: configuration) }
    }
    for place in places {
      if output.json {
        try Console.standard.print(["place": .string("\(place)"), "retired": .string("\(id)")])
      } else {
        try Console.standard.print("\(place): replica \(id) is retired")
      }
    }
    if places.isEmpty {
      throw CommandFailure("\(device) holds no store; a device directory holds stores as <group>/<name>.store")
    }
  }
}
