import ArgumentParser
import AstroSvitla
import Foundation

/// Which device's store.
struct DeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder that stands for the device.",
      discussion: "Default: $TANDEM_CONTAINER_ROOT, else the person's own data folder.", valueName: "folder"),
    transform: Report.path)
  var device: String?

  private var url: URL? { device.map { URL(filePath: $0, directoryHint: .isDirectory) } }

  /// A device on which nothing was stored yet reads as one that holds nothing, and nothing is made there for reading.
  func store(_ access: AstroSvitlaStore.Access) throws -> AstroSvitlaStore {
    do {
      return try AstroSvitlaStore(device: url, access: access)
    } catch let error as AstroSvitlaError where error.code == .noStore {
      return try AstroSvitlaStore(inMemory: UUID())
    }
  }

  /// The device's name in the App Store: that of its folder.
  var name: String { url?.standardizedFileURL.lastPathComponent ?? "this device" }
}
