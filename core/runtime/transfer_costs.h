// The measured or assumed costs of moving data to a device and back.
#pragma once

#include "core/runtime/device.h"

namespace nnvk {

inline TransferCosts transfer_costs(Device& device) {
  if (const CostModel* const costs = device.costs()) return costs->transfers();
  return device.info().type == DeviceType::kCpu ? kTransfersInPlace : kTransfersByCopies;
}

}  // namespace nnvk
