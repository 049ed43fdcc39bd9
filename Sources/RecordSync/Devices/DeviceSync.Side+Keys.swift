import Foundation
import RecordStore

extension DeviceSync.Side {
  /// The sides with the key of the place's family, where a device has one. Throws ``SyncError`` `keyNeeded` where a
  /// folder is encrypted and the device has no key, and what a key file throws that cannot be read.
  static func keyed(
    _ sides: [DeviceSync.Side], at place: DeviceDirectory.Place, passphrase: String?
  ) throws -> [DeviceSync.Side] {
    guard sides.contains(where: { !$0.isDevice }), let device = sides.first(where: \.isDevice) else { return sides }
    let key = try KeyFile.familyKey(
      at: device.directory.keyFile(at: place), of: place.familyID, passphrase: passphrase)
    return try sides.map { side in
      guard !side.isDevice else { return side }
      var keyed = side
      keyed.key = key
      try keyed.exchange(at: place).refuseBesideSealed(in: side.directory.url)
      return keyed
    }
  }
}
