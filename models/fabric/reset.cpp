// SPDX-License-Identifier: Apache-2.0
#include "fabric/reset.h"
#include "fabric/module.h"

namespace lyra::fabric {

resettable *resettable::first_ = nullptr, *resettable::last_ = nullptr;

namespace {
bool asserted = false;
}

resettable::resettable() : before_(last_) {
  (last_ ? last_->behind_ : first_) = this;
  last_ = this;
}

resettable::~resettable() {
  (before_ ? before_->behind_ : first_) = behind_;
  (behind_ ? behind_->before_ : last_) = before_;
}

bool in_reset() { return asserted; }

void assert_reset() {
  for (resettable* r = resettable::first_; r; r = r->behind_) r->on_reset();
  forget_wakes();
  for (resettable* r = resettable::first_; r; r = r->behind_) r->on_reclaim();
  asserted = true;
}

void release_reset() {
  restart_time();
  forget_wakes(); // the queue of wakes starts at this time too, whatever ran while reset was asserted
  asserted = false;
  for (resettable* r = resettable::first_; r; r = r->behind_) r->on_release();
}

} // namespace lyra::fabric
